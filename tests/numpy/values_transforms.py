"""Fft, Complex and the short vectors."""
import cmath

import numpy as np

from rows import Rows

SHAPES = [(4, 6), (5, 7), (1, 8), (9, 1), (0, 3)]
BOXES = [(2, 3, 4), (1, 5, 1), (3, 2, 5), (2, 0, 3)]


def make():
    rows = Rows("transforms")
    fourier(rows)
    complexes(rows)
    vectors(rows)
    rows.save()


def some(*shape):
    n = int(np.prod(shape))
    i = np.arange(n)
    return ((i * 7 % 5 - 2) + 1j * (i * i % 7 - 3)).reshape(shape)


def fourier(rows):
    for n in [0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 34]:
        z = some(n)
        forward, inverse = (np.fft.fft(z), np.fft.ifft(z)) if n else (z, z)
        rows.put(f"Fft.Forward of {n}", forward)
        rows.put(f"Fft.Forward of {n}, reals", np.fft.fft(z.imag) if n else z)
        rows.put(f"Fft.Inverse of {n}", inverse)
    for n in [64, 97, 360]:  # of many a few
        rows.put(f"Fft.Forward of {n}", np.fft.fft(some(n))[:: n // 7])
        rows.put(f"Fft.Inverse of {n}", np.fft.ifft(some(n))[:: n // 7])
    for shape in SHAPES:
        z = some(*shape)
        of = "x".join(str(n) for n in shape)
        rows.put(f"Fft.Forward of {of}", np.fft.fft2(z) if z.size else z)
        rows.put(f"Fft.Forward of {of}, reals", np.fft.fft2(z.imag) if z.size else z)
        rows.put(f"Fft.Inverse of {of}", np.fft.ifft2(z) if z.size else z)
    for shape in BOXES:
        z = some(*shape)
        of = "x".join(str(n) for n in shape)
        rows.put(f"Fft.Forward of {of}", (np.fft.fftn(z) if z.size else z).ravel())
        rows.put(f"Fft.Inverse of {of}", (np.fft.ifftn(z) if z.size else z).ravel())
    for n, spacing in [(7, 0.5), (8, 0.125), (1, 1.0), (2, 3.0)]:
        rows.put(f"spaced {n}", spacing)
        rows.put(f"Fft.Frequencies spaced {n}", np.fft.fftfreq(n, spacing))


def complexes(rows):
    inf, nan = np.inf, np.nan
    z = np.array([1.5 - 0.75j, -0.25 + 2j, -2 + 0j, 3j, -3j, 0j, 1e-3 - 1e-3j, -4 - 5j, 0.5 + 0j, 1e200 + 1e200j, -1e-200 + 1e-200j])
    w = np.roll(z[:9], 4)
    rows.put("numbers", z)
    few = z[:9]
    rows.put("Complex.operator+", few + w)
    rows.put("Complex.operator-", few - w)
    rows.put("Complex.operator*", few * w)
    rows.put("Complex.operator/", few / np.where(w == 0, 2 - 1j, w))
    rows.put("Complex.operator/ of large ones", z[9:] / z[9:])
    rows.put("Complex.operator* with doubles", few * 0.5 + 3 * few)
    rows.put("Complex.operator/ with doubles", few / 4 - 1 + 2 / (few + 5))
    rows.put("Complex.operator- of one", -few)
    rows.put("Complex.Magnitude", abs(z))
    rows.put("Complex.Abs", abs(z))
    rows.put("Complex.Phase", np.angle(z))
    rows.put("Complex.Squared", few.real**2 + few.imag**2)
    rows.put("Complex.Conjugate", z.conj())
    rows.put("Complex.FromPolar", [cmath.rect(r, phi) for r, phi in [(2, 2.5), (0, 1), (1, -np.pi), (3, 0)]])
    rows.put("Complex.Exp", np.exp(few))
    rows.put("Complex.Log", np.log(z[[0, 1, 2, 3, 4, 6, 7, 8, 9, 10]]))
    rows.put("Complex.Sqrt", np.sqrt(z))
    rows.put("Complex.Pow", [cmath.exp(p * cmath.log(x)) if x != 0 else 0 for x, p in zip(few, np.where(w == 0, 2, w))])
    rows.put("Complex.Sin", np.sin(few))
    rows.put("Complex.Cos", np.cos(few))
    rows.put("Complex.operator* of all", np.prod(few[few != 0]))
    rows.put("Complex.operator+ of all", np.sum(few))
    rows.put("Complex.Magnitude of odd ones", [abs(complex(x, y)) for x, y in [(inf, nan), (nan, -inf), (nan, 1), (inf, inf)]])


def vectors(rows):
    a, b = np.array([1.25, -2.0, 3.5, 0.5]), np.array([0.75, 4.0, -1.0, 2.25])
    for kind in ("float", "double"):
        for n in (2, 3, 4):
            x, y = a[:n], b[:n]
            of = f"{kind}{n}"
            rows.put(f"{of}.All", np.full(n, 2.5))
            rows.put(f"{of}.Dot", x @ y)
            rows.put(f"{of}.Norm", np.linalg.norm(x))
            rows.put(f"{of}.LengthSquared", x @ x)
            rows.put(f"{of}.Normalized", x / np.linalg.norm(x))
            rows.put(f"{of}.Min", np.minimum(x, y))
            rows.put(f"{of}.Max", np.maximum(x, y))
            rows.put(f"{of}.operator+", x + y)
            rows.put(f"{of}.operator-", x - y)
            rows.put(f"{of}.operator- of one", -x)
            rows.put(f"{of}.operator*", x * y)
            rows.put(f"{of}.operator* with numbers", 2 * x * 0.5)
            rows.put(f"{of}.operator/", x / y)
            rows.put(f"{of}.operator/ with numbers", x / 4)
            rows.put(f"{of}.operator+ of all", x + y + y)
            if n < 4:
                rows.put(f"{of}.Cross", np.cross(x, y))
