"""Problems that libraries of derivatives are compared by (GradBench), for JAX: bench/npbench/peers.py runs them. Each gives
the derivatives; the C$ programs beside this file do the same."""
from peers import cells, np, numpy, unit

import jax
from jax import lax


def gmm_inputs(n, d, k):
    low = numpy.tril(cells(k, d, d, seed=4) - 0.5, -1)
    return cells(k, seed=1), cells(k, d, seed=2), cells(k, d, seed=3) - 0.5, low, cells(n, d, seed=5)


def gmm(alpha, mu, q, low, x):
    def f(alpha, mu, q, low):
        d = x[:, None] - mu
        y = np.exp(q) * d + np.einsum("kij,akj->aki", np.tril(low, -1), d)
        t = alpha + q.sum(1) - (y * y).sum(2) / 2
        lse = jax.scipy.special.logsumexp
        return lse(t, axis=1).sum() - len(x) * lse(alpha) - (np.exp(q) ** 2).sum() / 2 - (low * low).sum() / 2

    da, dm, dq, dl = jax.grad(f, (0, 1, 2, 3))(alpha, mu, q, low)
    return da, dm, dq, np.tril(dl, -1)


def ba_inputs(cams, points, observations):
    obs = numpy.arange(observations)
    c = cells(cams, 11, seed=1) - 0.5
    c[:, 5] -= 4
    c[:, 6] += 2
    return c, cells(points, 3, seed=2), cells(observations, seed=3), cells(observations, 2, seed=4), obs % cams, obs * 7 % points


def ba(cams, points, w, feats, at, which):
    def f(cams, points, w):
        c = cams[at]
        x = points[which] - c[:, 3:6]
        theta = np.sqrt(1e-12 + (c[:, :3] ** 2).sum(1))[:, None]
        axis = c[:, :3] / theta
        turn = (axis * x).sum(1)[:, None] * (1 - np.cos(theta))
        r = x * np.cos(theta) + axis * turn + np.cross(axis, x) * np.sin(theta)
        p = r[:, :2] / r[:, 2:]
        rr = (p * p).sum(1)[:, None]
        e = w[:, None] * (c[:, 7:9] + p * (1 + rr * c[:, 9:10] + rr * rr * c[:, 10:11]) * c[:, 6:7] - feats)
        return (e * e).sum() + ((1 - w * w) ** 2).sum()

    return jax.grad(f, (0, 1, 2))(cams, points, w)


def ht_inputs(bones, vertices):
    rest = numpy.concatenate([cells(vertices, 3, seed=2), numpy.ones((vertices, 1))], 1)
    return cells(bones, 3, seed=1) - 0.5, rest, cells(vertices, bones, seed=3) / bones, cells(vertices, 3, seed=4)


def ht(angles, rest, weights, seen):
    def turned(a, by):
        (cx, cy, cz), (sx, sy, sz) = np.cos(a), np.sin(a)
        r = np.array([[cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz, 0], [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz, 0.1],
                      [-sy, sx * cy, cx * cy, 0], [0, 0, 0, 1]])
        return by @ r

    def f(angles):
        def turn(bone, a):
            bone = turned(a, bone)
            return bone, bone

        bones = lax.scan(turn, np.eye(4), angles)[1]
        at = np.einsum("vb,bik,vk->vi", weights, bones[:, :3], rest, optimize=True)
        return ((at - seen) ** 2).sum()

    return jax.grad(f)(angles)


def kmeans_inputs(n, k, d):
    return cells(n, d, seed=1), cells(k, d, seed=2)


def kmeans(x, c):
    def f(c):
        return ((x[:, None] - c[None]) ** 2).sum(2).min(1).sum()

    return jax.grad(f)(c)


def lstm_inputs(steps, inputs, hidden):
    return (cells(4 * hidden, inputs, seed=1) - 0.5, (cells(4 * hidden, hidden, seed=2) - 0.5) / 4, cells(4 * hidden, seed=3) - 0.5,
            cells(steps, inputs, seed=4))


def lstm(w, u, bias, x):
    n = len(bias) // 4

    def f(w, u, bias):
        def step(state, x):
            h, c = state
            z = bias + w @ x + u @ h
            s = jax.nn.sigmoid
            c = c * s(z[:n]) + np.tanh(z[3 * n:]) * s(z[n:2 * n])
            h = np.tanh(c) * s(z[2 * n:3 * n])
            return (h, c), (h * h).sum()

        return lax.scan(step, (np.zeros(n), np.zeros(n)), x)[1].sum()

    return jax.grad(f, (0, 1, 2))(w, u, bias)


def llsq_inputs(n, m):
    t = -1 + numpy.arange(n) * (2 / (n - 1))
    return cells(m, seed=1) - 0.5, t, numpy.sign(t)


def llsq(x, t, y):
    def f(x):
        powers = t[:, None] ** np.arange(len(x))
        return ((y - powers @ x) ** 2).sum() / 2

    return jax.grad(f)(x)


def lse_inputs(n):
    return (3 * cells(n, seed=1),)


def lse(x):
    def f(x):
        return jax.scipy.special.logsumexp(x)

    return jax.grad(f)(x)


def det_inputs(n):
    return (cells(n, n, seed=1) + 2 * numpy.eye(n),)


def det(a):
    n = len(a)

    def f(a):
        def eliminate(k, state):
            a, d = state
            p = a[k, k]
            low = np.where(np.arange(n) > k, a[:, k] / p, 0)
            return a - low[:, None] * a[k], d + np.log(np.abs(p))

        return lax.fori_loop(0, n, eliminate, (a, 0.0))[1]

    return jax.grad(f)(a)


def ode_inputs(n, steps):
    return cells(n, seed=1), 1 + cells(n, seed=2), cells(n, seed=3), steps


def ode(y0, p, q, steps):
    def f(y0, p, q):
        def slope(y):
            return p * y - q * y * y

        def step(y, _):
            k1 = slope(y)
            k2 = slope(y + 0.005 * k1)
            k3 = slope(y + 0.005 * k2)
            k4 = slope(y + 0.01 * k3)
            return y + (k1 + 2 * k2 + 2 * k3 + k4) / 600, None

        y = lax.scan(step, y0, None, length=steps)[0]
        return (y * y).sum()

    return jax.grad(f, (0, 1, 2))(y0, p, q)


def particle_inputs(n, steps):
    return cells(n, seed=1), numpy.array([[10.0, 0.0], [10.0, 10.0]]), steps


def particle(w, charges, steps):
    def f(w):
        def step(s, _):
            x, y, vx, vy = s
            ax = ay = 0
            for cx, cy in charges:
                r = ((x - cx) ** 2 + (y - cy) ** 2) ** 1.5
                ax += (x - cx) / r
                ay += (y - cy) / r
            return (x + 0.1 * vx, y + 0.1 * vy, vx + 0.1 * ax, vy + 0.1 * (ay - w)), None

        s = (np.full(len(w), 0.0), np.full(len(w), 8.0), np.full(len(w), 0.75), np.full(len(w), 0.0))
        x, y, _, _ = lax.scan(step, s, None, length=steps)[0]
        return (x * x + y).sum()

    return jax.grad(f)(w)


def saddle_inputs(n, steps):
    return cells(n, seed=1) - 0.5, steps


def saddle(x, steps):
    def f(x):
        def step(y, _):
            return y + 0.2 * (2 * x * (1 - y) + np.sin(y[::-1])), None

        y = lax.scan(step, np.full(len(x), 0.5), None, length=steps)[0]
        return (x * x - y * y + x * y).sum()

    return jax.grad(f)(x)
