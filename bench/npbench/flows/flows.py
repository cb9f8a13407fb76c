"""Flows of an incompressible fluid, in small steps of small arrays."""
import numpy

from peers import np, prange

rho, nu = 1.0, 0.1


def cavity_flow_inputs(n, nt, nit):
    return n, nt, nit


def cavity_flow(n, nt, nit):
    dx = dy = 2 / (n - 1)
    dt = 0.1 / ((n - 1) * (n - 1))
    u, v, p = numpy.zeros((n, n)), numpy.zeros((n, n)), numpy.zeros((n, n))
    for _ in range(nt):
        ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
        uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy)
        vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
        vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
        b = rho * ((ux + vy) / dt - ux * ux - 2 * uy * vx - vy * vy)
        for _ in range(nit):
            p[1:-1, 1:-1] = ((p[1:-1, 2:] + p[1:-1, :-2]) * dy**2 + (p[2:, 1:-1] + p[:-2, 1:-1]) * dx**2
                             - dx**2 * dy**2 * b) / (2 * (dx**2 + dy**2))
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        un, vn = u.copy(), v.copy()
        u[1:-1, 1:-1] = (un[1:-1, 1:-1] - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
                         - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[:-2, 1:-1])
                         - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
                         + nu * (dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
                                 + dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])))
        v[1:-1, 1:-1] = (vn[1:-1, 1:-1] - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, :-2])
                         - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[:-2, 1:-1])
                         - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
                         + nu * (dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, :-2])
                                 + dt / dy**2 * (vn[2:, 1:-1] - 2 * vn[1:-1, 1:-1] + vn[:-2, 1:-1])))
        u[0, :] = u[:, 0] = u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = v[-1, :] = v[:, 0] = v[:, -1] = 0
    return u, v, p


def cavity_flow_numba(n, nt, nit):
    dx = dy = 2 / (n - 1)
    dt = 0.1 / ((n - 1) * (n - 1))
    u, v, p, q = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    un, vn, b = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for _ in range(nt):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                ux = (u[i, j + 1] - u[i, j - 1]) / (2 * dx)
                uy = (u[i + 1, j] - u[i - 1, j]) / (2 * dy)
                vx = (v[i, j + 1] - v[i, j - 1]) / (2 * dx)
                vy = (v[i + 1, j] - v[i - 1, j]) / (2 * dy)
                b[i, j] = rho * ((ux + vy) / dt - ux * ux - 2 * uy * vx - vy * vy)
        for _ in range(nit):
            q[:, :] = p
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    p[i, j] = ((q[i, j + 1] + q[i, j - 1]) * dy**2 + (q[i + 1, j] + q[i - 1, j]) * dx**2
                               - dx**2 * dy**2 * b[i, j]) / (2 * (dx**2 + dy**2))
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        un[:, :] = u
        vn[:, :] = v
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a, c = un[i, j] * dt / dx, vn[i, j] * dt / dy
                u[i, j] = (un[i, j] - a * (un[i, j] - un[i, j - 1]) - c * (un[i, j] - un[i - 1, j])
                           - dt / (2 * rho * dx) * (p[i, j + 1] - p[i, j - 1])
                           + nu * (dt / dx**2 * (un[i, j + 1] - 2 * un[i, j] + un[i, j - 1])
                                   + dt / dy**2 * (un[i + 1, j] - 2 * un[i, j] + un[i - 1, j])))
                v[i, j] = (vn[i, j] - a * (vn[i, j] - vn[i, j - 1]) - c * (vn[i, j] - vn[i - 1, j])
                           - dt / (2 * rho * dy) * (p[i + 1, j] - p[i - 1, j])
                           + nu * (dt / dx**2 * (vn[i, j + 1] - 2 * vn[i, j] + vn[i, j - 1])
                                   + dt / dy**2 * (vn[i + 1, j] - 2 * vn[i, j] + vn[i - 1, j])))
        u[-1, :] = 1
    return u, v, p


def cavity_flow_jax(n, nt, nit):
    from jax import lax

    dx = dy = 2 / (n - 1)
    dt = 0.1 / ((n - 1) * (n - 1))
    inner = (slice(1, -1), slice(1, -1))

    def step(_, s):
        u, v, p = s
        ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
        uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy)
        vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
        vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
        b = rho * ((ux + vy) / dt - ux * ux - 2 * uy * vx - vy * vy)

        def pressure(_, p):
            p = p.at[inner].set(((p[1:-1, 2:] + p[1:-1, :-2]) * dy**2 + (p[2:, 1:-1] + p[:-2, 1:-1]) * dx**2
                                 - dx**2 * dy**2 * b) / (2 * (dx**2 + dy**2)))
            p = p.at[:, -1].set(p[:, -2])
            p = p.at[0, :].set(p[1, :])
            p = p.at[:, 0].set(p[:, 1])
            return p.at[-1, :].set(0)

        p = lax.fori_loop(0, nit, pressure, p)

        def moved(w, gradient, scale):
            c = w[inner]
            return w.at[inner].set(
                c - u[inner] * dt / dx * (c - w[1:-1, :-2]) - v[inner] * dt / dy * (c - w[:-2, 1:-1])
                - dt / (2 * rho * scale) * gradient
                + nu * (dt / dx**2 * (w[1:-1, 2:] - 2 * c + w[1:-1, :-2])
                        + dt / dy**2 * (w[2:, 1:-1] - 2 * c + w[:-2, 1:-1])))

        un = moved(u, p[1:-1, 2:] - p[1:-1, :-2], dx).at[-1, :].set(1)
        vn = moved(v, p[2:, 1:-1] - p[:-2, 1:-1], dy)
        return un, vn, p

    return lax.fori_loop(0, nt, step, (np.zeros((n, n)),) * 3)


def channel_flow_inputs(n, nt, nit):
    return n, nt, nit


def west(a):
    return np.roll(a, 1, 1)[1:-1]


def east(a):
    return np.roll(a, -1, 1)[1:-1]


def channel_step(u, v, p, n, nit, dx, dt, force, repeat):
    """One step of a flow through a channel that is periodic along x."""
    ux, vx = (east(u) - west(u)) / (2 * dx), (east(v) - west(v)) / (2 * dx)
    uy, vy = (u[2:] - u[:-2]) / (2 * dx), (v[2:] - v[:-2]) / (2 * dx)
    b = rho * ((ux + vy) / dt - ux * ux - 2 * uy * vx - vy * vy)

    def pressure(p):
        inside = (east(p) + west(p) + p[2:] + p[:-2] - dx * dx * b) / 4
        return np.concatenate([inside[:1], inside, inside[-1:]])

    p = repeat(nit, pressure, p)

    def moved(w, gradient, force):
        c = w[1:-1]
        return (c - u[1:-1] * dt / dx * (c - west(w)) - v[1:-1] * dt / dx * (c - w[:-2])
                - dt / (2 * rho * dx) * gradient
                + nu * dt / dx**2 * (east(w) - 2 * c + west(w) + w[2:] - 2 * c + w[:-2]) + force * dt)

    zero = np.zeros((1, n))
    return (np.concatenate([zero, moved(u, east(p) - west(p), force), zero]),
            np.concatenate([zero, moved(v, p[2:] - p[:-2], 0), zero]), p)


def channel_flow(n, nt, nit):
    dx = 2 / (n - 1)
    dt = 0.1 / ((n - 1) * (n - 1))

    def repeat(count, f, x):
        for _ in range(count):
            x = f(x)
        return x

    u, v, p = numpy.zeros((n, n)), numpy.zeros((n, n)), numpy.ones((n, n))
    for _ in range(nt):
        u, v, p = channel_step(u, v, p, n, nit, dx, dt, 1.0, repeat)
    return u, v, p


def channel_flow_numba(n, nt, nit):
    dx = 2 / (n - 1)
    dt = 0.1 / ((n - 1) * (n - 1))
    u, v, p, q = np.zeros((n, n)), np.zeros((n, n)), np.ones((n, n)), np.ones((n, n))
    un, vn, b = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for _ in range(nt):
        for i in range(1, n - 1):
            for j in range(n):
                e, w = (j + 1) % n, (j + n - 1) % n
                ux, vx = (u[i, e] - u[i, w]) / (2 * dx), (v[i, e] - v[i, w]) / (2 * dx)
                uy, vy = (u[i + 1, j] - u[i - 1, j]) / (2 * dx), (v[i + 1, j] - v[i - 1, j]) / (2 * dx)
                b[i, j] = rho * ((ux + vy) / dt - ux * ux - 2 * uy * vx - vy * vy)
        for _ in range(nit):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    q[i, j] = (p[i, j + 1] + p[i, j - 1] + p[i + 1, j] + p[i - 1, j] - dx * dx * b[i, j]) / 4
                q[i, 0] = (p[i, 1] + p[i, n - 1] + p[i + 1, 0] + p[i - 1, 0] - dx * dx * b[i, 0]) / 4
                q[i, n - 1] = (p[i, 0] + p[i, n - 2] + p[i + 1, n - 1] + p[i - 1, n - 1] - dx * dx * b[i, n - 1]) / 4
            q[0, :] = q[1, :]
            q[-1, :] = q[-2, :]
            p, q = q, p
        un[:, :] = u
        vn[:, :] = v
        for i in range(1, n - 1):
            for j in range(n):
                e, w = (j + 1) % n, (j + n - 1) % n
                a, c = un[i, j] * dt / dx, vn[i, j] * dt / dx
                u[i, j] = (un[i, j] - a * (un[i, j] - un[i, w]) - c * (un[i, j] - un[i - 1, j])
                           - dt / (2 * rho * dx) * (p[i, e] - p[i, w]) + nu * dt / dx**2
                           * (un[i, e] + un[i, w] + un[i + 1, j] + un[i - 1, j] - 4 * un[i, j]) + dt)
                v[i, j] = (vn[i, j] - a * (vn[i, j] - vn[i, w]) - c * (vn[i, j] - vn[i - 1, j])
                           - dt / (2 * rho * dx) * (p[i + 1, j] - p[i - 1, j]) + nu * dt / dx**2
                           * (vn[i, e] + vn[i, w] + vn[i + 1, j] + vn[i - 1, j] - 4 * vn[i, j]))
    return u, v, p


def channel_flow_jax(n, nt, nit):
    from jax import lax

    dx = 2 / (n - 1)
    dt = 0.1 / ((n - 1) * (n - 1))
    repeat = lambda count, f, x: lax.fori_loop(0, count, lambda _, y: f(y), x)
    return lax.fori_loop(0, nt, lambda _, s: channel_step(*s, n, nit, dx, dt, 1.0, repeat),
                         (np.zeros((n, n)), np.zeros((n, n)), np.ones((n, n))))
