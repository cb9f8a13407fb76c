"""The functions of bench/library.cs$ on NumPy arrays: library.py FOLDER csc|numpy WHAT SIZE CALLS; the best time of a call."""
import sys
import time

import numpy as np

sys.path.insert(0, sys.argv[1])
who, what, n, calls = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
i = np.arange(n)
if what == "call":
    a = (i % 7).astype(np.float32)
    arguments = (a, a)
elif what == "bykey":
    arguments = ((i * 2654435761 % 1000).astype(np.int32), (i % 5).astype(np.float64), 1000)
else:
    m = ((i[:, None] + 3 * i[None, :]) % 11 * 0.5).astype(np.float32)
    arguments = (m, m) if what == "product" else (m,)


def stencil(u):
    for _ in range(10):
        v = u.copy()
        v[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * np.float32(0.25)
        u = v
    return u


numpys = {"call": lambda a, b: 2 * a + b, "product": np.matmul, "stencil": stencil,
          "bykey": lambda key, x, keys: np.bincount(key, x, keys)}
if who == "csc":
    import library_csc

    f = getattr(library_csc, what)
    assert np.allclose(f(*arguments), numpys[what](*arguments), rtol=1e-3), what
else:
    f = numpys[what]
least, turns = 1e9, 100 if what == "call" else 1
for _ in range(calls):
    begin = time.perf_counter()
    for _ in range(turns):
        f(*arguments)
    least = min(least, (time.perf_counter() - begin) / turns)
print(f"{least:.9f}")
