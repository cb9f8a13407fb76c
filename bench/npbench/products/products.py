"""Products of matrices."""
import numpy

from peers import cells, np, prange

alpha, beta = 1.5, 1.2


def gemm_inputs(ni, nj, nk):
    return cells(ni, nk, seed=1), cells(nk, nj, seed=2), cells(ni, nj, seed=3)


def gemm(a, b, c):
    return alpha * (a @ b) + beta * c


def k2mm_inputs(ni, nj, nk, nl):
    return cells(ni, nk, seed=1), cells(nk, nj, seed=2), cells(nj, nl, seed=3), cells(ni, nl, seed=4)


def k2mm(a, b, c, d):
    return alpha * (a @ b) @ c + beta * d


def k3mm_inputs(ni, nj, nk, nl, nm):
    return cells(ni, nk, seed=1), cells(nk, nj, seed=2), cells(nj, nm, seed=3), cells(nm, nl, seed=4)


def k3mm(a, b, c, d):
    return (a @ b) @ (c @ d)


def symm_inputs(m, n):
    return cells(m, m, seed=1), cells(m, n, seed=2), cells(m, n, seed=3)


def symm(a, b, c):
    return alpha * ((np.tril(a) + np.tril(a, -1).T) @ b) + beta * c


def syrk_inputs(n, m):
    return cells(n, m, seed=1), cells(n, n, seed=2)


def syrk(a, c):
    c = c.copy()
    for i in range(len(c)):
        c[i, :i + 1] = beta * c[i, :i + 1] + alpha * (a[:i + 1] @ a[i])
    return c


def syrk_numba(a, c):
    c = c.copy()
    for i in prange(len(c)):
        c[i, :i + 1] = beta * c[i, :i + 1] + alpha * (a[:i + 1] @ a[i])
    return c


def syrk_jax(a, c):
    return np.tril(alpha * (a @ a.T) + beta * c) + np.triu(c, 1)


def syr2k_inputs(n, m):
    return cells(n, m, seed=1), cells(n, m, seed=3), cells(n, n, seed=2)


def syr2k(a, b, c):
    c = c.copy()
    for i in range(len(c)):
        c[i, :i + 1] = beta * c[i, :i + 1] + alpha * (a[:i + 1] @ b[i] + b[:i + 1] @ a[i])
    return c


def syr2k_numba(a, b, c):
    c = c.copy()
    for i in prange(len(c)):
        c[i, :i + 1] = beta * c[i, :i + 1] + alpha * (a[:i + 1] @ b[i] + b[:i + 1] @ a[i])
    return c


def syr2k_jax(a, b, c):
    return np.tril(alpha * (a @ b.T + b @ a.T) + beta * c) + np.triu(c, 1)


def trmm_inputs(m, n):
    return cells(m, m, seed=1), cells(m, n, seed=2)


def trmm(a, b):
    return alpha * (b + np.tril(a, -1).T @ b)


def doitgen_inputs(nr, nq, n):
    return cells(nr, nq, n, seed=1), cells(n, n, seed=2)


def doitgen(a, c):
    return a @ c


def doitgen_numba(a, c):
    m, n, k = a.shape
    return (a.reshape(m * n, k) @ c).reshape(m, n, k)
