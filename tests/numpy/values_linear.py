"""Linalg, Sparse and Interpolate."""
import numpy as np
from scipy import linalg, sparse
from scipy.interpolate import CubicSpline
from scipy.ndimage import map_coordinates

from rows import Rows

SQUARE = {
    "regular": [[4, 1, 2.5, 0, -1], [1, -5, 3, 2, 0.5], [2, 3, 6, -2, 1], [0, 7, 1, 0.25, 2], [-3, 1, 0, 1, 1]],
    "pivots": [[0, 2, 1], [1, 0, 0], [0, 1e-20, 3]],
    "one": [[-2.5]],
    "nothing": np.zeros((0, 0)),
    "symmetric": [[4, -1, 0, 0.5], [-1, 3, 1, 0], [0, 1, 2, -0.25], [0.5, 0, -0.25, 5]],
    "hilbert": linalg.hilbert(5),
    "singular": [[1, 2], [2, 4]],
    "zero": [[0, 0], [0, 0]],
    "indefinite": [[1, 2], [2, 1]],
    "multiple": [[2, 0, 0], [0, 2, 0], [0, 0, -1]],
}
TALL = {
    "line": [[1, i] for i in range(6)],
    "tall": [[((i * 7 + j * 5 + i * i * j) % 11 - 5) / 2 for j in range(3)] for i in range(7)],
    "square": SQUARE["regular"],
    "column": [[3], [-4], [0]],
}


def entry(i, j, s):
    return ((i * 37 + j * 101 + i * j * i * s) % 23 - 11) / 4


def make():
    rows = Rows("linear")
    for name, m in SQUARE.items():
        squares(rows, name, np.array(m, float))
    for name, m in TALL.items():
        talls(rows, name, np.array(m, float))
    products(rows)
    large(rows)
    sparses(rows)
    interpolations(rows)
    rows.save()


def squares(rows, name, a):
    n = len(a)
    of = f"square {name}"
    right = np.array([1.5, -2, 3, 0.25, -1])[:n]
    several = np.stack([right, right[::-1], np.ones(n)], -1)
    rows.put(of, a)
    rows.put(f"Linalg.Determinant of {of}", np.linalg.det(a))
    rows.put(f"Linalg.Trace of {of}", np.trace(a))
    rows.put(f"Linalg.Diagonal of {of}", np.diagonal(a))
    rows.attempt(f"Linalg.Solve of {of}", lambda: np.linalg.solve(a, right))
    rows.attempt(f"Linalg.Solve of {of}, several", lambda: np.linalg.solve(a, several))
    rows.attempt(f"Linalg.Inverse of {of}", lambda: np.linalg.inv(a))
    if n > 0:
        lu, pivots = linalg.lu_factor(a)
        order = np.arange(n)
        for i, p in enumerate(pivots):
            order[[i, p]] = order[[p, i]]
        rows.put(f"Linalg.LU of {of}", lu)
        rows.put(f"Linalg.LU of {of}, rows", order)
    if np.array_equal(a, a.T):
        rows.attempt(f"Linalg.Cholesky of {of}", lambda: np.linalg.cholesky(a))
        values, vectors = np.linalg.eigh(a)
        rows.put(f"Linalg.SymmetricEigen of {of}", values)
        if len(set(np.round(values, 6))) == n:
            rows.put(f"Linalg.SymmetricEigen of {of}, vectors", signed(vectors))
        if n > 0 and values[0] > 1e-3:
            rows.put(f"Linalg.ConjugateGradients of {of}", np.linalg.solve(a, right))
    elif n > 1:
        rows.put(f"Linalg.SymmetricEigen of {of}", "error")


def signed(columns):
    """Each column times 1 or -1, so that the sum of its elements with growing weights is positive."""
    weights = 1 + 0.7 * np.arange(len(columns))
    return columns * np.where(weights @ columns < 0, -1, 1)


def talls(rows, name, a):
    of = f"tall {name}"
    right = np.cos(np.arange(len(a)))
    rows.put(of, a)
    q, r = np.linalg.qr(a)
    sign = np.where(np.diagonal(r) < 0, -1, 1)
    rows.put(f"Linalg.QR of {of}, q", q * sign)
    rows.put(f"Linalg.QR of {of}, r", r * sign[:, None])
    rows.put(f"Linalg.LeastSquares of {of}", np.linalg.lstsq(a, right, rcond=None)[0])
    rows.put(f"Linalg.Norm of {of}", np.linalg.norm(a))
    rows.put(f"Linalg.Diagonal of {of}", np.diagonal(a))
    rows.put(f"Linalg.Mul of {of}", a.T @ a)
    rows.put(f"Linalg.Mul of {of}, vector", a @ np.arange(1, a.shape[1] + 1))
    rows.put(f"Linalg.Mul of {of}, from the left", right @ a)
    rows.put(f"Linalg.Transpose of {of}", a.T)
    rows.put(f"Linalg.Outer of {of}", np.outer(a[0], right))


def products(rows):
    rows.put("Linalg.Identity", np.eye(4))
    for name, x in {"some": [3, -4, 1.5, 2], "nothing": [], "nan": [1, np.nan], "large": [3e150, -4e150], "infinite": [-np.inf, 2]}.items():
        x = np.array(x, float)
        rows.put(f"vector {name}", x)
        rows.put(f"Linalg.Dot of vector {name}", x @ x[::-1])
        rows.put(f"Linalg.Norm of vector {name}", np.linalg.norm(x))
        if x.size and not np.isnan(x).any():
            rows.put(f"Linalg.MaxNorm of vector {name}", np.linalg.norm(x, np.inf))
    many = np.array([[(i * 7919 + j * 104729) * 65537 % 2**32 for j in range(5)] for i in range(5)], np.uint32).astype(np.int32)
    rows.put("ints", many)
    rows.put("Linalg.Mul of ints", many @ many)
    rows.put("Linalg.Norm of ints", np.linalg.norm(many.astype(float)))
    rows.put("Linalg.Norm of ints, a row", np.linalg.norm(many[0].astype(float)))
    rows.put("Linalg.Trace of ints", np.trace(many, dtype=np.int32))


def large(rows):
    """Of more than a block; what it is made of the program knows."""
    a = np.array([[entry(i, j, 7) + 20 * (i == j) for j in range(60)] for i in range(60)])
    b = np.array([(i * i % 7 - 3) / 2 for i in range(60)])
    p = a @ a.T / 100
    rows.put("Linalg.Solve, large", np.linalg.solve(a, b))
    rows.put("Linalg.Inverse, large", np.linalg.inv(a).sum(axis=0))
    rows.put("Linalg.Determinant, large", np.linalg.slogdet(a)[1])
    rows.put("Linalg.Cholesky, large", np.linalg.cholesky(p).sum(axis=0))
    rows.put("Linalg.ConjugateGradients, large", np.linalg.solve(p, b))
    rows.put("Linalg.SymmetricEigen, large", np.linalg.eigvalsh(p[:20, :20]))
    rows.put("Linalg.QR, large", abs(np.diagonal(np.linalg.qr(a)[1])))


def sparses(rows):
    tables = {
        "some": (4, 5, [3, 0, 1, 3, 0, 3], [0, 4, 2, 3, 4, 0], [1.5, -2, 3, 4, 5, 0.25]),
        "nothing": (3, 2, [], [], []),
        "no rows": (0, 3, [], [], []),
        "one": (1, 1, [0], [0], [7]),
        "empty rows": (6, 3, [5, 2], [1, 1], [2, -1]),
    }
    for name, (m, n, i, j, v) in tables.items():
        s = sparse.csr_matrix((v, (i, j)), shape=(m, n), dtype=float)
        s.sum_duplicates()
        of = f"sparse {name}"
        x = np.arange(1, n + 1) / 4
        rows.put(of, [m, n])
        rows.put(f"elements of {of}", np.array([i, j, v], float).reshape(3, -1))
        rows.put(f"Sparse.ToDense of {of}", s.toarray())
        rows.put(f"Sparse.First of {of}", s.indptr)
        rows.put(f"Sparse.Column of {of}", s.indices)
        rows.put(f"Sparse.Value of {of}", s.data)
        rows.put(f"Sparse.Rows of {of}", s.shape[0])
        rows.put(f"Sparse.Columns of {of}", s.shape[1])
        rows.put(f"Sparse.NonZeros of {of}", s.nnz)
        rows.put(f"Sparse.Mul of {of}", s @ x)
        rows.put(f"Sparse.Mul of {of}, its transpose", (s @ s.T).toarray())
        rows.put(f"Sparse.Transpose of {of}", s.T.toarray())
        rows.put(f"Sparse.operator* of {of}", (-2 * s).toarray())
        rows.put(f"Sparse.operator+ of {of}", (s + 3 * s).toarray())
        rows.put(f"Sparse.Of of {of}", s.T.tocsr().data)


def interpolations(rows):
    points = {
        "some": ([-1, 0, 0.5, 2, 3, 5], [1, 2, 0, -1, 3, 2.5]),
        "two": ([1, 2], [3, -1]),
        "one": ([1], [3]),
        "many": (np.arange(40) / 4, np.sin(np.arange(40) / 4)),
    }
    at = np.array([-2, -1, -0.3, 0, 0.2, 0.5, 1, 1.25, 1.9, 2, 2.5, 4.9, 5, 7, np.nan, np.inf, -np.inf])
    rows.put("at", at)
    for name, (x, y) in points.items():
        rows.put(f"points {name}", np.array([x, y], float))
        rows.put(f"Interpolate.Linear of points {name}", np.interp(at, x, y) + 0 * np.where(np.isnan(at), at, 0))
        inside = np.clip(at, x[0], x[-1])
        rows.put(f"Interpolate.Spline of points {name}", CubicSpline(x, y, bc_type="natural")(inside) if len(x) > 1 else np.where(np.isnan(at), np.nan, y[0]))
    grid = np.array([[((i * 3 + j * j) % 7) / 2 for j in range(4)] for i in range(3)])
    places = np.array([[0, 0], [2, 3], [0.5, 0.5], [1.75, 2.25], [1, 1.5], [-3, 1], [9, 9], [1.5, -1]])
    rows.put("grid", grid)
    rows.put("places", places)
    rows.put("Interpolate.Bilinear", map_coordinates(grid, places.T, order=1, mode="nearest"))
    rows.put("Interpolate.Bilinear of one element", np.full(8, 3.5))
