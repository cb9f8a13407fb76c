"""Layers of neural networks, in floats."""
import numpy

from peers import cells, jit, np, prange


def floats(*shape, seed):
    return cells(*shape, seed=seed).astype(numpy.float32)


def softmax_inputs(n, heads, size):
    return (floats(n, heads, size, size, seed=1),)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_numba(x):
    out = np.empty_like(x)
    a, b, c, d = x.shape
    for i in prange(a * b):
        for k in range(c):
            row = x[i // b, i % b, k]
            e = np.exp(row - row.max())
            out[i // b, i % b, k] = e / e.sum()
    return out


def mlp_inputs(n, c, s0, s1, s2):
    sizes = (c, s0, s1, s2)
    weights = [floats(a, b, seed=2 * k + 2) - numpy.float32(0.5) for k, (a, b) in enumerate(zip(sizes, sizes[1:]))]
    biases = [floats(b, seed=2 * k + 3) for k, b in enumerate(sizes[1:])]
    return (floats(n, c, seed=1),) + tuple(x for pair in zip(weights, biases) for x in pair)


def mlp(x, w1, b1, w2, b2, w3, b3):
    x = np.maximum(x @ w1 + b1, 0)
    x = np.maximum(x @ w2 + b2, 0)
    x = x @ w3 + b3
    e = np.exp((x - x.max(axis=-1, keepdims=True)) / 1000)
    return e / e.sum(axis=-1, keepdims=True)


def mlp_numba(x, w1, b1, w2, b2, w3, b3):
    x = np.maximum(x @ w1 + b1, np.float32(0))
    x = np.maximum(x @ w2 + b2, np.float32(0))
    x = x @ w3 + b3
    for i in range(len(x)):
        e = np.exp((x[i] - x[i].max()) / np.float32(1000))
        x[i] = e / e.sum()
    return x


def conv2d_bias_inputs(n, size, c_in, c_out, k):
    return (floats(n, size, size, c_in, seed=1), floats(k, k, c_in, c_out, seed=2) - numpy.float32(0.5),
            floats(c_out, seed=3))


def conv2d(x, w):
    k, n = w.shape[0], x.shape[1] - w.shape[0] + 1
    out = numpy.zeros((len(x), n, n, w.shape[3]), numpy.float32)
    for i in range(k):
        for j in range(k):
            out += x[:, i:i + n, j:j + n, :] @ w[i, j]
    return out


def conv2d_bias(x, w, bias):
    return conv2d(x, w) + bias


def conv2d_bias_numba(x, w, bias):
    k, c_in, c_out = w.shape[0], w.shape[2], w.shape[3]
    m, n = x.shape[1] - k + 1, x.shape[2] - k + 1
    out = np.empty((len(x), m, n, c_out), np.float32)
    for task in prange(len(x) * m):
        b, i = task // m, task % m
        for j in range(n):
            out[b, i, j] = bias
            for di in range(k):
                for dj in range(k):
                    for e in range(c_in):
                        f = x[b, i + di, j + dj, e]
                        for c in range(c_out):
                            out[b, i, j, c] += f * w[di, dj, e, c]
    return out


def convolved(x, w):
    from jax import lax

    return lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def conv2d_bias_jax(x, w, bias):
    return convolved(x, w) + bias


def lenet_inputs(n, size):
    flat = 16 * ((((size - 4) // 2) - 4) // 2) ** 2
    shapes = (5, 5, 1, 6), (6,), (5, 5, 6, 16), (16,), (flat, 120), (120,), (120, 84), (84,), (84, 10), (10,)
    half = numpy.float32(0.5)
    return (floats(n, size, size, 1, seed=1),) + tuple(floats(*s, seed=k + 2) - half for k, s in enumerate(shapes))


def pool(x):
    n, h, w, c = x.shape
    return x[:, :h // 2 * 2, :w // 2 * 2].reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4))


def lenet_of(conv, x, c1, d1, c2, d2, w1, b1, w2, b2, w3, b3):
    x = pool(np.maximum(conv(x, c1) + d1, 0))
    x = pool(np.maximum(conv(x, c2) + d2, 0))
    x = x.reshape(len(x), -1)
    x = np.maximum(x @ w1 + b1, 0)
    x = np.maximum(x @ w2 + b2, 0)
    return x @ w3 + b3


def lenet(*inputs):
    return lenet_of(conv2d, *inputs)


def lenet_jax(*inputs):
    return lenet_of(convolved, *inputs)


@jit
def layer(x, w, bias):
    """A convolution, the greater of it and 0, and the greatest of 2 x 2 of these."""
    k, c_in, c_out = w.shape[0], w.shape[2], w.shape[3]
    m, n = (x.shape[0] - k + 1) // 2, (x.shape[1] - k + 1) // 2
    out = np.zeros((m, n, c_out), np.float32)
    s = np.empty(c_out, np.float32)
    for i in range(2 * m):
        for j in range(2 * n):
            s[:] = bias
            for di in range(k):
                for dj in range(k):
                    for e in range(c_in):
                        f = x[i + di, j + dj, e]
                        for c in range(c_out):
                            s[c] += f * w[di, dj, e, c]
            for c in range(c_out):
                out[i // 2, j // 2, c] = max(out[i // 2, j // 2, c], s[c])
    return out


def lenet_numba(x, c1, d1, c2, d2, w1, b1, w2, b2, w3, b3):
    flat = np.empty((len(x), len(w1)), np.float32)
    for i in prange(len(x)):
        flat[i] = layer(layer(x[i], c1, d1), c2, d2).reshape(len(w1))
    x1 = np.maximum(flat @ w1 + b1, np.float32(0))
    x2 = np.maximum(x1 @ w2 + b2, np.float32(0))
    return x2 @ w3 + b3
