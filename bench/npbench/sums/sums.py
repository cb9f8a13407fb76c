"""Statistics of columns and of rings."""
import numpy

from peers import cells, np, prange


def covariance_inputs(m, n):
    return (cells(n, m, seed=1),)


def covariance(x):
    x = x - x.sum(axis=0) / len(x)
    return x.T @ x / (len(x) - 1)


def correlation_inputs(m, n):
    return (cells(n, m, seed=1),)


def correlation(x):
    x = x - x.sum(axis=0) / len(x)
    deviation = np.sqrt((x * x).sum(axis=0) / len(x))
    x = x / (np.sqrt(len(x)) * np.where(deviation <= 0.1, 1.0, deviation))
    return x.T @ x


def azimint_inputs(n, rings):
    return cells(n, seed=1), cells(n, seed=2), rings


azimint_naive_inputs = azimint_hist_inputs = azimint_inputs


def azimint_naive(data, radius, rings):
    top = radius.max()
    result = numpy.empty(rings)
    for i in range(rings):
        result[i] = data[(radius >= top * i / rings) & (radius < top * (i + 1) / rings)].mean()
    return result


def azimint_naive_numba(data, radius, rings):
    top = radius.max()
    result = np.empty(rings)
    for i in prange(rings):
        low, high, s, count = top * i / rings, top * (i + 1) / rings, 0.0, 0
        for k in range(len(radius)):
            if radius[k] >= low and radius[k] < high:
                s += data[k]
                count += 1
        result[i] = s / count
    return result


def azimint_naive_jax(data, radius, rings):
    from jax import lax

    top = radius.max()

    def ring(i):
        inside = (radius >= top * i / rings) & (radius < top * (i + 1) / rings)
        return np.where(inside, data, 0).sum() / inside.sum()

    return lax.map(ring, np.arange(rings))


def azimint_hist(data, radius, rings):
    top = radius.max()
    count, _ = np.histogram(radius, rings, range=(0, top))
    total, _ = np.histogram(radius, rings, range=(0, top), weights=data)
    return total / count


def azimint_hist_numba(data, radius, rings):
    top = radius.max()
    total, count = np.zeros(rings), np.zeros(rings)
    for k in range(len(radius)):
        bin = min(rings - 1, int(radius[k] * rings / top))
        total[bin] += data[k]
        count[bin] += 1
    return total / count


def azimint_hist_jax(data, radius, rings):
    bin = np.minimum(rings - 1, (radius * rings / radius.max()).astype(int))
    zero = np.zeros(rings)
    return zero.at[bin].add(data) / zero.at[bin].add(1.0)
