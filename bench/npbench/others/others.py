"""What is no linear algebra and no stencil."""
import numpy

from peers import cells, jit, np, prange


def mandelbrot_inputs(n, most):
    return n, most


def mandelbrot(n, most):
    x = numpy.linspace(-2.25, 0.75, n)
    y = numpy.linspace(-1.25, 1.25, n)
    c = x + 1j * y[:, None]
    z, count = numpy.zeros_like(c), numpy.zeros(c.shape, int)
    for k in range(most):
        inside = z.real * z.real + z.imag * z.imag < 4
        count[inside] = k
        z[inside] = z[inside] ** 2 + c[inside]
    count[count == most - 1] = 0
    return count


def mandelbrot_numba(n, most):
    x, y = np.linspace(-2.25, 0.75, n), np.linspace(-1.25, 1.25, n)
    count = np.zeros((n, n), np.int64)
    for i in prange(n):
        for j in range(n):
            re = im = 0.0
            for k in range(most):
                if re * re + im * im >= 4:
                    break
                count[i, j] = k
                re, im = re * re - im * im + x[j], 2 * re * im + y[i]
            if count[i, j] == most - 1:
                count[i, j] = 0
    return count


def mandelbrot_jax(n, most):
    from jax import lax

    cx, cy = np.linspace(-2.25, 0.75, n), np.linspace(-1.25, 1.25, n)[:, None]

    def step(k, s):
        re, im, count = s
        inside = re * re + im * im < 4
        return (np.where(inside, re * re - im * im + cx, re), np.where(inside, 2 * re * im + cy, im),
                np.where(inside, k, count))

    count = lax.fori_loop(0, most, step, (np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), int)))[2]
    return np.where(count == most - 1, 0, count)


def arc_distance_inputs(n):
    return tuple(cells(n, seed=s) for s in range(1, 5))


def arc_distance(t1, p1, t2, p2):
    t = np.sin((t2 - t1) / 2) ** 2 + np.cos(t1) * np.cos(t2) * np.sin((p2 - p1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(t), np.sqrt(1 - t))


def arc_distance_numba(t1, p1, t2, p2):
    out = np.empty_like(t1)
    for i in prange(len(t1)):
        t = np.sin((t2[i] - t1[i]) / 2) ** 2 + np.cos(t1[i]) * np.cos(t2[i]) * np.sin((p2[i] - p1[i]) / 2) ** 2
        out[i] = 2 * np.arctan2(np.sqrt(t), np.sqrt(1 - t))
    return out


def compute_inputs(m, n):
    return (cells(m, n, seed=1) * 1000).astype(int), (cells(m, n, seed=2) * 1000).astype(int), 4, 3, 9


def compute(x, y, a, b, c):
    return np.clip(x, 2, 10) * a + y * b + c


def compute_numba(x, y, a, b, c):
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = min(max(x[i, j], 2), 10) * a + y[i, j] * b + c
    return out


def crc16_inputs(n):
    return ((cells(n, seed=1) * 256).astype(numpy.uint8),)


def crc16(data):
    crc = 0xFFFF
    for b in data.tolist():
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if (b ^ crc) & 1 else crc >> 1
            b >>= 1
    crc ^= 0xFFFF
    return numpy.array([crc >> 8 | (crc & 0xFF) << 8])


def crc16_numba(data):
    crc = 0xFFFF
    for k in range(len(data)):
        b = np.int64(data[k])
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if (b ^ crc) & 1 else crc >> 1
            b >>= 1
    crc ^= 0xFFFF
    return np.array([crc >> 8 | (crc & 0xFF) << 8])


def crc16_jax(data):
    from jax import lax

    def byte(k, crc):
        b = data[k].astype(int)
        for _ in range(8):
            crc = np.where((b ^ crc) & 1 == 1, (crc >> 1) ^ 0x8408, crc >> 1)
            b >>= 1
        return crc

    crc = lax.fori_loop(0, len(data), byte, np.asarray(0xFFFF)) ^ 0xFFFF
    return np.stack([crc >> 8 | (crc & 0xFF) << 8])


def floyd_warshall_inputs(n):
    return ((cells(n, n, seed=1) * 1000).astype(numpy.int32) + 1,)


def floyd_warshall(path):
    path = path.copy()
    for k in range(len(path)):
        path = np.minimum(path, path[:, k, None] + path[k])
    return path


def floyd_warshall_numba(path):
    path = path.copy()
    n = len(path)
    for k in range(n):
        row = path[k].copy()
        for i in prange(n):
            via = path[i, k]
            for j in range(n):
                path[i, j] = min(path[i, j], via + row[j])
    return path


def floyd_warshall_jax(path):
    from jax import lax

    return lax.fori_loop(0, len(path), lambda k, p: np.minimum(p, p[:, k, None] + p[k]), path)


def nussinov_inputs(n):
    return ((cells(n, seed=1) * 4).astype(numpy.int32),)


@jit
def nussinov_table(seq):
    n = len(seq)
    table = numpy.zeros((n, n), numpy.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            pair = 1 if seq[i] + seq[j] == 3 else 0
            best = max(best, table[i + 1, j - 1] + (pair if i < j - 1 else 0))
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table


def nussinov(seq):
    n = len(seq)
    table = numpy.zeros((n, n), numpy.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            pair = 1 if i < j - 1 and seq[i] + seq[j] == 3 else 0
            best = max(table[i, j - 1], table[i + 1, j], table[i + 1, j - 1] + pair)
            if j > i + 1:
                best = max(best, (table[i, i + 1:j] + table[i + 2:j + 1, j]).max())
            table[i, j] = best
    return table


def nussinov_numba(seq):
    return nussinov_table(seq)


def nussinov_jax(seq):
    from jax import lax

    n = len(seq)
    at = np.arange(n)

    def row(back, table):
        i = n - 1 - back
        below = table[np.minimum(i + 1, n - 1)]

        def cell(j, row):
            pair = np.where((i < j - 1) & (seq[i] + seq[j] == 3), 1, 0)
            best = np.maximum(np.maximum(row[j - 1], below[j]), below[j - 1] + pair)
            splits = np.where((at > i) & (at < j), row + np.roll(table[:, j], -1), 0)
            return np.where(j > i, row.at[j].set(np.maximum(best, splits.max())), row)

        return table.at[i].set(lax.fori_loop(1, n, cell, np.zeros(n, np.int32)))

    return lax.fori_loop(0, n, row, np.zeros((n, n), np.int32))


def nbody_inputs(n, count):
    return 20 * cells(n, seed=1) / n + 1 / n, cells(n, 3, seed=2) - 0.5, cells(n, 3, seed=3) - 0.5, count


def forces(pos, mass):
    x, y, z = pos.T
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    inv = (dx * dx + dy * dy + dz * dz + 0.1) ** -1.5
    return np.stack([(dx * inv) @ mass, (dy * inv) @ mass, (dz * inv) @ mass], axis=1)


def energies(mass, pos, vel):
    x, y, z = pos.T
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    r = np.sqrt(dx * dx + dy * dy + dz * dz)
    inverse = np.where(r > 0, 1 / np.where(r > 0, r, 1), 0)
    return 0.5 * (mass[:, None] * vel * vel).sum(), -0.5 * (mass[:, None] * mass * inverse).sum()


def nbody(mass, pos, vel, count):
    dt = 0.01
    acc = forces(pos, mass)
    kinetic, potential = numpy.empty(count + 1), numpy.empty(count + 1)
    kinetic[0], potential[0] = energies(mass, pos, vel)
    for t in range(count):
        vel = vel + acc * dt / 2
        pos = pos + vel * dt
        acc = forces(pos, mass)
        vel = vel + acc * dt / 2
        kinetic[t + 1], potential[t + 1] = energies(mass, pos, vel)
    return kinetic, potential


def nbody_numba(mass, pos, vel, count):
    dt, n = 0.01, len(mass)
    pos, vel, acc = pos.copy(), vel.copy(), np.zeros((n, 3))
    kinetic, potential = np.empty(count + 1), np.empty(count + 1)
    for t in range(count + 1):
        if t > 0:
            vel += acc * dt / 2
            pos += vel * dt
        for i in prange(n):
            x = y = z = 0.0
            for j in range(n):
                dx, dy, dz = pos[j, 0] - pos[i, 0], pos[j, 1] - pos[i, 1], pos[j, 2] - pos[i, 2]
                s = dx * dx + dy * dy + dz * dz + 0.1
                inv = mass[j] / (s * np.sqrt(s))
                x += dx * inv
                y += dy * inv
                z += dz * inv
            acc[i, 0], acc[i, 1], acc[i, 2] = x, y, z
        if t > 0:
            vel += acc * dt / 2
        k = p = 0.0
        for i in prange(n):
            k += mass[i] * (vel[i, 0] ** 2 + vel[i, 1] ** 2 + vel[i, 2] ** 2)
            for j in range(i):
                dx, dy, dz = pos[j, 0] - pos[i, 0], pos[j, 1] - pos[i, 1], pos[j, 2] - pos[i, 2]
                p -= mass[i] * mass[j] / np.sqrt(dx * dx + dy * dy + dz * dz)
        kinetic[t], potential[t] = k / 2, p
    return kinetic, potential


def nbody_jax(mass, pos, vel, count):
    from jax import lax

    dt = 0.01

    def step(s, _):
        pos, vel, acc = s
        vel = vel + acc * dt / 2
        pos = pos + vel * dt
        acc = forces(pos, mass)
        vel = vel + acc * dt / 2
        return (pos, vel, acc), energies(mass, pos, vel)

    first = energies(mass, pos, vel)
    later = lax.scan(step, (pos, vel, forces(pos, mass)), None, length=count)[1]
    return tuple(np.concatenate([a[None], b]) for a, b in zip(first, later))


def spmv_inputs(n, per_row):
    count = n * per_row
    return (numpy.arange(0, count + 1, per_row).astype(numpy.int32), (cells(count, seed=1) * n).astype(numpy.int32),
            cells(count, seed=2), cells(n, seed=3))


def spmv(first, column, value, x):
    y = numpy.empty(len(first) - 1)
    for i in range(len(y)):
        row = slice(first[i], first[i + 1])
        y[i] = value[row] @ x[column[row]]
    return y


def spmv_numba(first, column, value, x):
    y = np.empty(len(first) - 1)
    for i in prange(len(y)):
        s = 0.0
        for k in range(first[i], first[i + 1]):
            s += value[k] * x[column[k]]
        y[i] = s
    return y


def spmv_jax(first, column, value, x):
    from jax.experimental.sparse import BCSR

    n = len(first) - 1
    return BCSR((value, column, first), shape=(n, n)) @ x


def stockham_fft_inputs(k):
    return k, cells(2 ** k, seed=1) - 0.5 + 1j * (cells(2 ** k, seed=2) - 0.5)


def stockham_fft(k, x):
    n = 2 ** k
    for s in range(k):
        half, run = n >> (s + 1), 1 << s
        x = x.reshape(2, half, run)
        w = np.exp(-2j * np.pi * np.arange(half) * run / n)[:, None]
        x = np.stack([x[0] + x[1], (x[0] - x[1]) * w], axis=1)
    return x.reshape(n)


def stockham_fft_numba(k, x):
    n = 2 ** k
    x = x.copy()
    y = np.empty_like(x)
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    for s in range(k):
        half, run = n >> (s + 1), 1 << s
        for t in prange(n // 2):
            p, q = t >> s, t & (run - 1)
            a, b = x[t], x[t + n // 2]
            y[2 * p * run + q] = a + b
            y[(2 * p + 1) * run + q] = (a - b) * w[p * run]
        x, y = y, x
    return x


def contour_integral_inputs(n, m, points):
    shape = [cells(n, n, seed=s) - 0.5 for s in range(1, 9)]
    blocks = [shape[2 * k] + 1j * shape[2 * k + 1] for k in range(4)]
    blocks[1] = blocks[1] + n * numpy.eye(n)
    angle = 2 * numpy.pi * (numpy.arange(points) + 0.5) / points
    return tuple(blocks) + (cells(n, m, seed=9) + 1j * cells(n, m, seed=10), 3 * numpy.exp(1j * angle))


def contour_integral(a, b, c, d, y, int_pts):
    p0 = p1 = 0
    for z in int_pts:
        x = np.linalg.solve(a / z + b + c * z + d * z * z, y)
        p0 = p0 + x
        p1 = p1 + z * x
    return p0, p1


def contour_integral_numba(a, b, c, d, y, int_pts):
    p0, p1 = np.zeros_like(y), np.zeros_like(y)
    for z in int_pts:
        x = np.linalg.solve(a / z + b + c * z + d * z * z, y)
        p0 += x
        p1 += z * x
    return p0, p1


def go_fast_inputs(n):
    return (cells(n, n, seed=1),)


def go_fast(a):
    return a + np.tanh(np.diag(a)).sum()


def go_fast_numba(a):
    trace = 0.0
    for i in range(len(a)):
        trace += np.tanh(a[i, i])
    return a + trace
