"""Cases of bench/npbench in Python.

peers.py numpy|numba|jax FAMILY NAME PREFIX SIZES..: prints the best time, once the results are those of PREFIX.0.npy, ..
peers.py expected|expected-jax FAMILY NAME PREFIX SIZES..: writes these files, NumPy's or JAX's results
peers.py check PREFIX OURS: compares files OURS.0.npy, .. with them

A family's file has NAME_inputs(sizes), NAME(inputs..) and, where numba or JAX want it written otherwise, NAME_numba and
NAME_jax. `np` in there is NumPy's or JAX's, so that what is written without assignments serves all.
"""
import glob
import importlib
import sys
import time

import numpy

who = sys.argv[1] if len(sys.argv) > 1 else "numpy"
np, prange = numpy, range
if who == "numba":
    import numba

    prange = numba.prange
elif who.endswith("jax"):
    import jax

    jax.config.update("jax_enable_x64", True)
    np = jax.numpy


def jit(f, parallel=False):
    """For what a numba version calls."""
    return numba.njit(fastmath=True, parallel=parallel)(f) if who == "numba" else f


def unit(n, first):
    """The numbers of unit() in bench/workloads/workload.cs$, from `first` on."""
    x = numpy.arange(first, first + n, dtype=numpy.uint32)
    x = (x ^ (x >> 16)) * numpy.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * numpy.uint32(0x846CA68B)
    x ^= x >> 16
    return (x >> 8) * (1 / 16777216)


def cells(*shape, seed):
    return unit(numpy.prod(shape), 1000003 * seed).reshape(shape)


def parts(results):
    """What a case gives, as arrays of reals."""
    for r in results if isinstance(results, tuple) else (results,):
        r = numpy.asarray(r)
        yield from (r.real, r.imag) if numpy.iscomplexobj(r) else (r,)


def compare(results, prefix):
    results = list(parts(results))
    wanted = [numpy.load(f"{prefix}.{n}.npy") for n in range(len(glob.glob(prefix + ".*.npy")))]
    assert len(results) == len(wanted) > 0, f"{len(results)} results, not {len(wanted)}"
    for n, (r, w) in enumerate(zip(results, wanted)):
        assert r.shape == w.shape, f"result {n} has shape {r.shape}, not {w.shape}"
        far = numpy.abs(r - w).max() / max(1e-30, numpy.abs(w).max())
        assert far < (1e-3 if w.dtype == numpy.float32 else 1e-6), f"result {n} is off by {far}"


def check(prefix, ours):
    compare(tuple(numpy.load(f"{ours}.{n}.npy") for n in range(len(glob.glob(ours + ".*.npy")))), prefix)


def main():
    if who == "check":
        return check(*sys.argv[2:])
    _, _, family, name, prefix, *sizes = sys.argv
    sys.path.append(f"{sys.path[0]}/{family}")
    cases = importlib.import_module(family.split("/")[-1])
    inputs = getattr(cases, name + "_inputs")(*map(int, sizes))
    f = getattr(cases, f"{name}_{who}", None) or getattr(cases, name)
    if who == "numba":
        f = numba.njit(parallel=True, fastmath=True)(f)
    if who.endswith("jax"):
        constants = [n for n, x in enumerate(inputs) if isinstance(x, (int, float))]
        compiled = jax.jit(f, static_argnums=constants)
        inputs = [x if n in constants else np.asarray(x) for n, x in enumerate(inputs)]
        f = lambda *inputs: jax.block_until_ready(compiled(*inputs))
    results = f(*inputs)
    if who.startswith("expected"):
        for n, r in enumerate(parts(results)):
            numpy.save(f"{prefix}.{n}.npy", r)
        return None
    compare(results, prefix)
    best, count, whole = 1e30, 0, time.perf_counter()
    while count == 0 or (best < 3 and (count < 3 or time.perf_counter() - whole < 1)):
        begin = time.perf_counter()
        f(*inputs)
        best, count = min(best, time.perf_counter() - begin), count + 1
    print(f"{best:.9f}")


if __name__ == "__main__":
    sys.modules["peers"] = sys.modules["__main__"]
    try:
        main()
    except Exception as e:
        sys.exit(f"{who}: {type(e).__name__}: {e}")
