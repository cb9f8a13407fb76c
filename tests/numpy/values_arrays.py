"""Array and Sort."""
import bisect

import numpy as np

from rows import Rows, inputs, matrices


def make():
    rows = Rows("arrays")
    for kind, named in inputs().items():
        for name, x in named.items():
            rows.put(f"{kind} {name}", x)
            sorts(rows, f"{kind} {name}", x)
            if kind in ("double", "int") and not np.isnan(x).any():
                moves(rows, f"{kind} {name}", x)
                finds(rows, f"{kind} {name}", x)
    rows.put("names", "pear fig Apple fig ape")
    rows.put("Sort.Ascending of names", " ".join(sorted("pear fig Apple fig ape".split())))
    rows.put("Sort.By of names", " ".join(sorted("pear fig Apple fig ape".split(), key=len)))
    rows.put("Sort.OrderBy of names", sorted(range(5), key=lambda i: len("pear fig Apple fig ape".split()[i])))
    for kind, named in matrices().items():
        for name, m in named.items():
            of = f"matrix {kind} {name}"
            rows.put(of, m)
            rows.put(f"Array.Flip of {of}", np.flip(m))
            rows.put(f"Array.Flip of {of}, rows", np.flip(m, 0))
            rows.put(f"Array.Flip of {of}, columns", np.flip(m, 1))
            rows.put(f"Array.Transpose of {of}", m.T)
            rows.put(f"Array.Flatten of {of}", m.ravel())
            rows.put(f"Array.Flatten of {of}, transposed", m.T.ravel())
            rows.put(f"Array.Concat of {of}", np.concatenate([m, 2 * m[:1]]))
            if m.size == 54:
                rows.put(f"Array.Reshape of {of}", m.reshape(-1, 27))
                rows.put(f"Array.Reshape of {of}, a box", m.reshape(3, -1, 2).sum(axis=1))
                rows.put(f"Array.Flatten of {of}, a box", m.reshape(3, 9, 2).ravel())
    for a, b, n in [(0.0, 1.0, 5), (-1.0, 2.0, 7), (1.0, 2.0, 1), (3.0, 3.0, 4), (0.1, 0.7, 11), (5.0, -5.0, 3), (1.0, 2.0, 0)]:
        rows.put(f"line {a} {b} {n}", [a, b, n])
        rows.put(f"Array.Linspace line {a} {b} {n}", np.linspace(a, b, n))
    rows.put("Array.Repeat", np.repeat(2.5, 3))
    rows.save()


def sorts(rows, of, x):
    order = x.argsort(kind="stable")
    rows.put(f"Sort.Ascending of {of}", np.sort(x))
    rows.put(f"Sort.Descending of {of}", np.sort(x)[::-1])
    rows.put(f"Sort.Order of {of}", order)
    rows.put(f"Array.Inverse of the order of {of}", order.argsort())
    values, counts = np.unique(x, return_counts=True)
    rows.put(f"Sort.Unique of {of}", values)
    rows.put(f"Sort.Unique of {of}, counts", counts)


def moves(rows, of, x):
    n = x.size
    rows.put(f"Array.Flip of {of}", x[::-1])
    for by in (0, 1, -1, 3, -40, 1000):
        rows.put(f"Array.Roll of {of}, {by}", np.roll(x, by))
    for start, stop, step in [(0, n, 1), (0, n, 2), (1, n, 3), (n - 1, -1, -1), (n - 1, 0, -2), (0, 0, 1), (0, n, 1000)]:
        if n == 0 and start != 0:
            continue
        rows.put(f"Array.Strided of {of}, {start} {stop} {step}", x[[i for i in range(start, stop, step)]] if n else x)
    rows.put(f"Array.Reshape of {of}", x.reshape(-1, 1))
    rows.put(f"Array.Concat of {of}", np.concatenate([x, -x[:2]]))
    rows.put(f"Array.Concat of {of}, a list", np.concatenate([x[:1], x, x[:0]]))
    rows.put(f"Array.OfRows of {of}", np.stack([x, -x]))
    rows.put(f"Array.OfRows of {of}, a list", np.stack([x, 2 * x, x]))
    rows.put(f"Array.Diff of {of}", np.diff(x))
    rows.put(f"Array.Reverse of {of}", x[::-1])
    longer = np.zeros(n + 2, x.dtype)
    longer[:n] = x
    rows.put(f"Array.Resize of {of}", longer)
    rows.put(f"Array.Resize of {of}, shorter", x[: n // 2])
    rows.put(f"Array.Fill of {of}", np.full(n, 7))
    copied = longer.copy()
    copied[2:] = x
    rows.put(f"Array.Copy of {of}", copied)
    rows.put(f"Array.Sort of {of}", np.sort(x))
    rows.put(f"Array.Sort of {of}, downwards", np.sort(x)[::-1])
    rows.put(f"Sort.By of {of}", np.sort(x)[::-1])
    rows.put(f"Sort.OrderBy of {of}", (-x.astype(float)).argsort(kind="stable"))


def finds(rows, of, x):
    listed = x.tolist()
    asked = [-7, -1, 0, 2, 3, 1e9]
    kept = [i for i, value in enumerate(listed) if value > 1]
    rows.put(f"Array.Where of {of}", x[x > 1])
    rows.put(f"Array.IndicesWhere of {of}", np.nonzero(x > 1)[0])
    rows.put(f"Array.SearchSorted of {of}", np.searchsorted(np.sort(x), asked))
    rows.put(f"Array.SearchSorted of {of}, after", np.searchsorted(np.sort(x), asked, side="right"))
    rows.put(f"Array.IndexOf of {of}", listed.index(3) if 3 in listed else -1)
    rows.put(f"Array.LastIndexOf of {of}", max([i for i, value in enumerate(listed) if value == 3], default=-1))
    rows.put(f"Array.FindIndex of {of}", kept[0] if kept else -1)
    rows.put(f"Array.Find of {of}", listed[kept[0]] if kept else 0)
    rows.put(f"Array.FindAll of {of}", x[x > 1])
    rows.put(f"Array.Exists of {of}", any(value > 1 for value in listed))
    rows.put(f"Array.TrueForAll of {of}", all(value > 1 for value in listed))
    ordered = np.unique(x).tolist()
    at = bisect.bisect_left(ordered, 3)
    rows.put(f"Array.BinarySearch of {of}", at if 3 in ordered else -1 - at)
