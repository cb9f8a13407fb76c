"""Rows of a file of values: `KEY: EXTENTS: VALUES`, which given.cs$ reads."""
import os

import numpy as np


def word(x):
    if isinstance(x, str):
        return x
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    x = float(x)
    if x != x:
        return "NaN"
    if x in (float("inf"), float("-inf")):
        return "Infinity" if x > 0 else "-Infinity"
    return repr(x)[:-2] if repr(x).endswith(".0") else repr(x)


class Rows:
    def __init__(self, name):
        self.path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".values")
        self.rows = []

    def put(self, key, value):
        """A text, a number, an array, or one of complex numbers as pairs."""
        if isinstance(value, str):
            self.rows.append(f"{key}: : {value}".rstrip())
            return
        value = np.asarray(value)
        if np.iscomplexobj(value):
            value = np.atleast_1d(value)
            value = np.stack([value.real, value.imag], -1).reshape(value.shape[:-1] + (2 * value.shape[-1],))
        extents = " ".join(str(n) for n in value.shape)
        self.rows.append(f"{key}: {extents}: {' '.join(word(x) for x in value.ravel())}".rstrip())

    def attempt(self, key, compute):
        """The value, or `error` where NumPy refuses."""
        try:
            value = compute()
        except (ValueError, IndexError, np.linalg.LinAlgError):
            value = "error"
        self.put(key, value)

    def save(self):
        with open(self.path, "w", encoding="utf-8") as f:
            f.write("\n".join(self.rows) + "\n")


def inputs():
    """One-dimensional inputs by type: of every kind that may go wrong."""
    mixed = np.array([((i * 7919 + 13) % 101 - 50) / 8 for i in range(19)])
    many = np.array([(i * i * 31 + 7) % 64 - 32 for i in range(37)])
    return {
        "double": {
            "empty": np.array([]),
            "one": np.array([2.5]),
            "two": np.array([3.0, -1.0]),
            "mixed": mixed,
            "ties": np.array([2.0, -1, 2, 2, -1, 0, -0.0, 7, 7]),
            "nan": np.array([1.0, np.nan, -2, 5, np.nan]),
            "infinite": np.array([1.0, np.inf, -2, 5]),
            "both": np.array([1.0, np.inf, -2, -np.inf, 3]),
            "large": np.array([1e200, -3e200, 2e200, 5e199]),
            "offset": 1e6 + mixed[:20] / 64,
        },
        "float": {
            "empty": np.array([], np.float32),
            "one": np.array([-0.75], np.float32),
            "mixed": mixed.astype(np.float32),
            "many": (many / 8).astype(np.float32),
            "nan": np.array([np.nan, 3, 1, np.nan, 2], np.float32),
        },
        "int": {
            "empty": np.array([], np.int32),
            "one": np.array([-7], np.int32),
            "ties": np.array([3, 1, 3, -5, 1, 1, 0, 3], np.int32),
            "many": many.astype(np.int32),
            "extreme": np.array([2**31 - 1, -(2**31), 2**31 - 1, 5, -(2**31)], np.int32),
        },
        "long": {
            "empty": np.array([], np.int64),
            "extreme": np.array([2**63 - 1024, -(2**63), 2**40, -1, 2**40], np.int64),
        },
        "byte": {"ties": np.array([200, 3, 255, 0, 200, 17], np.uint8)},
    }


def matrices():
    mixed = np.array([[((i * 37 + j * 101 + i * j * 5) % 23 - 11) / 4 for j in range(9)] for i in range(6)])
    return {
        "double": {"mixed": mixed, "row": mixed[:1], "column": mixed[:, :1], "one": mixed[1:2, 1:2]},
        "float": {"mixed": mixed.astype(np.float32)},
        "int": {"mixed": (mixed * 4).astype(np.int32)},
    }
