"""Products of matrices with vectors."""
from peers import cells, np, prange

alpha, beta = 1.5, 1.2


def atax_inputs(m, n):
    return cells(m, n, seed=1), cells(n, seed=2)


def atax(a, x):
    return (a @ x) @ a


def bicg_inputs(m, n):
    return cells(n, m, seed=1), cells(m, seed=2), cells(n, seed=3)


def bicg(a, p, r):
    return r @ a, a @ p


def gemver_inputs(n):
    return (cells(n, n, seed=1),) + tuple(cells(n, seed=s) for s in range(2, 9))


def gemver(a, u1, v1, u2, v2, x, y, z):
    b = a + np.outer(u1, v1) + np.outer(u2, v2)
    x = x + beta * (y @ b) + z
    return b, x, alpha * (b @ x)


def gemver_numba(a, u1, v1, u2, v2, x, y, z):
    b = np.empty_like(a)
    for i in prange(len(a)):
        for j in range(len(a)):
            b[i, j] = a[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    x = x + beta * (y @ b) + z
    return b, x, alpha * (b @ x)


def gesummv_inputs(n):
    return cells(n, n, seed=1), cells(n, n, seed=2), cells(n, seed=3)


def gesummv(a, b, x):
    return alpha * (a @ x) + beta * (b @ x)


def mvt_inputs(n):
    return (cells(n, n, seed=1),) + tuple(cells(n, seed=s) for s in range(2, 6))


def mvt(a, x1, x2, y1, y2):
    return x1 + a @ y1, x2 + y2 @ a
