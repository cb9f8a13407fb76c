"""Decompositions and triangular systems."""
import numpy

from peers import cells, jit, np, prange


def definite(n):
    a = cells(n, n, seed=1)
    return (a + a.T) / 2 + n * numpy.eye(n)


def dominant(n):
    return cells(n, n, seed=1) + n * numpy.eye(n)


def cholesky_inputs(n):
    return (definite(n),)


def cholesky(a):
    a = np.tril(a)
    for j in range(len(a)):
        a[j:, j] -= a[j:, :j] @ a[j, :j]
        a[j:, j] /= np.sqrt(a[j, j])
    return a


def cholesky_numba(a):
    n = len(a)
    a = np.tril(a)
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k]
        a[j, j] = np.sqrt(a[j, j])
        for i in prange(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s / a[j, j]
    return a


def cholesky_jax(a):
    from jax import lax

    n = len(a)
    row = np.arange(n)

    def column(j, l):
        c = a[:, j] - l @ np.where(row < j, l[j], 0)
        c = np.where(row >= j, c / np.sqrt(c[j]), 0)
        return l.at[:, j].set(c)

    return lax.fori_loop(0, n, column, np.zeros_like(a))


def cholesky2_inputs(n):
    return (definite(n),)


def cholesky2(a):
    return np.linalg.cholesky(a)


def durbin_inputs(n):
    return (cells(n, seed=1) / n,)


def durbin(r):
    y = np.empty_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, len(r)):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + r[k - 1::-1] @ y[:k]) / beta
        y[:k] += alpha * y[k - 1::-1]
        y[k] = alpha
    return y


def durbin_numba(r):
    n = len(r)
    y, z = np.empty(n), np.empty(n)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta *= 1 - alpha * alpha
        s = r[k]
        for i in range(k):
            s += r[k - 1 - i] * y[i]
        alpha = -s / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - 1 - i]
        y[:k] = z[:k]
        y[k] = alpha
    return y


def durbin_jax(r):
    from jax import lax

    n = len(r)
    i = np.arange(n)

    def step(k, state):
        y, alpha, beta = state
        beta = beta * (1 - alpha * alpha)
        back = np.where(i < k, np.roll(y[::-1], k), 0)
        alpha = -(r[k] + np.sum(np.where(i < k, r * back, 0))) / beta
        return np.where(i < k, y + alpha * back, np.where(i == k, alpha, 0)), alpha, beta

    start = np.zeros_like(r).at[0].set(-r[0]), -r[0], np.asarray(1.0)
    return lax.fori_loop(1, n, step, start)[0]


def gramschmidt_inputs(m, n):
    return (cells(m, n, seed=1),)


def gramschmidt(a):
    a = a.copy()
    n = a.shape[1]
    q, r = np.zeros_like(a), np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1:] = q[:, k] @ a[:, k + 1:]
        a[:, k + 1:] -= np.outer(q[:, k], r[k, k + 1:])
    return q, r


def gramschmidt_numba(a):
    m, n = a.shape
    a = a.copy()
    q, r = np.zeros_like(a), np.zeros((n, n))
    for k in range(n):
        s = 0.0
        for i in range(m):
            s += a[i, k] * a[i, k]
        r[k, k] = np.sqrt(s)
        for i in range(m):
            q[i, k] = a[i, k] / r[k, k]
        for i in range(m):
            for j in range(k + 1, n):
                r[k, j] += q[i, k] * a[i, j]
        for i in range(m):
            for j in range(k + 1, n):
                a[i, j] -= q[i, k] * r[k, j]
    return q, r


def gramschmidt_jax(a):
    from jax import lax

    n = a.shape[1]
    j = np.arange(n)

    def column(k, state):
        a, q, r = state
        c = a[:, k] / np.sqrt(a[:, k] @ a[:, k])
        row = np.where(j >= k, c @ a, 0)
        return a - np.outer(c, np.where(j > k, row, 0)), q.at[:, k].set(c), r.at[k].set(row)

    return lax.fori_loop(0, n, column, (a, np.zeros_like(a), np.zeros((n, n))))[1:]


def lu_inputs(n):
    return (dominant(n),)


def lu(a):
    a = a.copy()
    for k in range(len(a) - 1):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return a


def eliminate(a):
    n = len(a)
    for k in range(n - 1):
        for i in prange(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


eliminate = jit(eliminate, parallel=True)


def lu_numba(a):
    a = a.copy()
    eliminate(a)
    return a


def lu_jax(a):
    from jax import lax

    i = np.arange(len(a))

    def step(k, a):
        c = np.where(i > k, a[:, k] / a[k, k], 0)
        a = a - np.outer(c, np.where(i > k, a[k], 0))
        return a.at[:, k].set(np.where(i > k, c, a[:, k]))

    return lax.fori_loop(0, len(a) - 1, step, a)


def ludcmp_inputs(n):
    return dominant(n), cells(n, seed=2)


@jit
def substitute(a, b):
    n = len(a)
    y, x = np.zeros(n), np.zeros(n)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return x


def ludcmp(a, b):
    return substitute(lu(a), b)


def ludcmp_numba(a, b):
    a = a.copy()
    eliminate(a)
    return substitute(a, b)


def ludcmp_jax(a, b):
    from jax.scipy.linalg import solve_triangular

    a = lu_jax(a)
    return solve_triangular(a, solve_triangular(a, b, lower=True, unit_diagonal=True))


def trisolv_inputs(n):
    return dominant(n), cells(n, seed=2)


def trisolv(l, b):
    x = np.empty_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def trisolv_jax(l, b):
    from jax.scipy.linalg import solve_triangular

    return solve_triangular(l, b, lower=True)
