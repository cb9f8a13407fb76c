"""Stats, Scan and Histogram."""
import numpy as np
from scipy import stats

from rows import Rows, inputs, matrices


def make():
    rows = Rows("statistics")
    for kind, named in inputs().items():
        if kind in ("long", "byte"):
            continue
        for name, x in named.items():
            rows.put(f"{kind} {name}", x)
            describe(rows, kind, name, x)
            scans(rows, kind, name, x)
    x = np.array([2**40 + 1, 2**40 + 4, -(2**35), 7, 2**50])
    rows.put("longs", x)
    rows.put("Stats.Mean of longs", x.mean())
    rows.put("Stats.Variance of longs", x.var())
    rows.put("Stats.StdDev of longs", x.std(ddof=1))
    rows.put("Stats.Mean of a mask", (x > 100).mean())
    for kind, named in matrices().items():
        for name, m in named.items():
            rows.put(f"matrix {kind} {name}", m)
            wide = m.astype(np.float64)
            of = f"matrix {kind} {name}"
            rows.put(f"Stats.Mean of {of}", wide.mean())
            rows.put(f"Stats.Variance of {of}", wide.var())
            rows.put(f"Stats.Variance of {of}, ddof", wide.var(ddof=1) if wide.size > 1 else np.nan)
            rows.put(f"Stats.StdDev of {of}", wide.std())
            rows.put(f"Stats.StdDev of {of}, ddof", wide.std(ddof=1) if wide.size > 1 else np.nan)
            rows.put(f"Stats.Median of {of}", np.median(wide))
            rows.put(f"Stats.Percentile of {of}", np.percentile(wide, 12.5))
            rows.put(f"Stats.ArgMin of {of}", np.unravel_index(m.argmin(), m.shape))
            rows.put(f"Stats.ArgMax of {of}", np.unravel_index(m.argmax(), m.shape))
            rows.put(f"Stats.Mean of {of}, rows", wide.mean(axis=1))
            rows.put(f"Stats.StdDev of {of}, columns", wide.std(axis=0))
            rows.put(f"Stats.ArgMax of {of}, rows", m.argmax(axis=1))
            rows.put(f"Stats.Count of {of}", np.count_nonzero(m > 1))
            rows.put(f"Scan.Sum of {of}", m.cumsum(axis=1, dtype=m.dtype))
            if m.size == 54:
                rows.put(f"Stats.Mean of {of}, a box", wide.mean())
    histograms(rows)
    rows.save()


def describe(rows, kind, name, x):
    of = f"{kind} {name}"
    wide = x.astype(np.float64)
    n = x.size
    rows.put(f"Stats.Mean of {of}", wide.mean() if n else np.nan)
    rows.put(f"Stats.Variance of {of}", wide.var() if n else np.nan)
    rows.put(f"Stats.Variance of {of}, ddof", wide.var(ddof=1) if n > 1 else np.nan)
    rows.put(f"Stats.StdDev of {of}", wide.std() if n else np.nan)
    rows.put(f"Stats.StdDev of {of}, ddof", wide.std(ddof=1) if n > 1 else np.nan)
    rows.put(f"Stats.Count of {of}", np.count_nonzero(x > 1))
    rows.attempt(f"Stats.ArgMin of {of}", x.argmin)
    rows.attempt(f"Stats.ArgMax of {of}", x.argmax)
    if kind != "double":
        return
    rows.put(f"Stats.Median of {of}", percentiles(x, 50) if n else np.nan)
    rows.put(f"Stats.Percentile of {of}", percentiles(x, 37.5) if n else np.nan)
    ps = [0, 10, 33.3, 50, 90, 100]
    rows.put(f"Stats.Percentiles of {of}", percentiles(x, ps) if n else [np.nan] * 6)
    other = np.cos(np.arange(n))
    rows.put(f"Stats.Covariance of {of}", np.cov(x, other)[0, 1] if n > 1 else np.nan)
    if n > 2:
        pearson = stats.pearsonr if abs(x).max() < 1e100 else np.corrcoef  # whose squares overflow, as ours
        rows.put(f"Stats.Correlation of {of}", np.ravel(pearson(x, other))[int(pearson is np.corrcoef)] if np.isfinite(x).all() else np.nan)


def percentiles(x, ps):
    """NumPy's, where it has inf - inf: of very large numbers instead, which are infinite again in the end."""
    found = np.percentile(np.clip(x, -1e290, 1e290), ps)
    return np.where(abs(found) > 1e280, np.sign(found) * np.inf, found)


def scans(rows, kind, name, x):
    of = f"{kind} {name}"
    rows.put(f"Scan.Sum of {of}", np.cumsum(x, dtype=x.dtype))
    rows.put(f"Scan.Product of {of}", np.cumprod(x[:12], dtype=x.dtype))
    if not np.isnan(x).any():  # Math.Min gives one or the other
        rows.put(f"Scan.Min of {of}", np.minimum.accumulate(x) if x.size else x)
        rows.put(f"Scan.Max of {of}", np.maximum.accumulate(x) if x.size else x)
    rows.put(f"Scan.Before of {of}", np.concatenate([np.zeros(1, x.dtype), np.cumsum(x, dtype=x.dtype)]))
    of_all = np.ufunc.accumulate(np.subtract, x) if x.size else x
    rows.put(f"Scan.Of of {of}", of_all)


def histograms(rows):
    keys = np.array([3, 0, 7, -1, 3, 3, 8, 2, 0, 2**31 - 1, -(2**31), 7], np.int32)
    weights = np.array([0.5, -1, 2, 3, 4.25, 1, 6, 7, 8, 9, 10, 0.125])
    inside = (keys >= 0) & (keys < 8)
    rows.put("keys", keys)
    rows.put("weights", weights)
    rows.put("Histogram.Of keys", np.bincount(keys[inside], minlength=8))
    rows.put("Histogram.Of weights", np.bincount(keys[inside], weights[inside], minlength=8))
    rows.put("Histogram.Of nothing", np.zeros(5))
    for name, bins, low, high in [("tenths", 10, 0.0, 1.0), ("thirds", 6, -5.0, 5.0), ("one", 1, -1.0, 1.0), ("odd", 7, 0.1, 0.8)]:
        edges = np.linspace(low, high, bins + 1)
        near = np.concatenate([edges, np.nextafter(edges, -10), np.nextafter(edges, 10), [np.nan, np.inf, -np.inf, low - 1, high + 1]])
        rows.put(f"bins of {name}", [bins, low, high])
        rows.put(f"Histogram.Edges of {name}", edges)
        rows.put(f"values near {name}", near)
        rows.put(f"Histogram.Of values near {name}", np.histogram(near, bins, (low, high))[0])
        middles = ((edges[:-1] + edges[1:]) / 2).astype(np.float32)
        some = np.concatenate([middles, middles[::2], [np.float32(low - 1), np.float32(np.nan)]])
        rows.put(f"floats in {name}", some)
        rows.put(f"Histogram.Of floats in {name}", np.histogram(some.astype(np.float64), bins, (low, high))[0])
