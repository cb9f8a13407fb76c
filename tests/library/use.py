"""Uses the module that csc --python makes of shapes.cs$, with NumPy where it is; argument: the folder."""
import array
import os
import pickle
import signal
import sys
import threading
import time

folder = sys.argv[1]
sys.path[:0] = [folder, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")]
import csdollar
import shapes

try:
    import numpy as np
except ImportError:
    np = None


FORKED = "this process was forked when OpenCL was in use, whose threads it lacks"


def fails(kind, text, f, *args):
    try:
        f(*args)
    except kind as e:
        assert text in str(e), e
        return e
    raise AssertionError("%s does not fail" % f.__name__)


# values
assert shapes.quotient(7, -2) == -3
assert shapes.not_(True) is False
assert shapes.twice(1.5) == 3
assert shapes.next("\U0001f600") == "\U0001f601"
assert shapes.most() == 2**64 - 1
assert shapes.negative(5) == -5
assert shapes.hello("w\u00f6rld") == "hello w\u00f6rld"
assert shapes.open_2(4, 5) == 4 and shapes.open_3(4) == 5
assert shapes.turn((1, 2)) == shapes.Vec(-2, 1)
assert shapes.swap(((1, 2), True, 3)) == shapes.Pair(shapes.Vec(-2, 1), False, 4)
assert "The product of two matrices.\n" in shapes.mul.__doc__
assert shapes.quotient.__annotations__ == {"a": "int", "b": "int", "return": "int"}


# arrays: of anything that is one
def same(a, expected):
    assert a.tolist() == expected, a.tolist()


x = array.array("f", [1, 2, 3])
same(shapes.axpy(2, x, [10, 20, 30]), [12, 24, 36])
same(shapes.first(x), [7, 2, 3])
same(shapes.axpy(1, memoryview(x).toreadonly(), x), [2, 4, 6])
assert list(x) == [1, 2, 3]
same(shapes.mul([[1, 2, 3], [4, 5, 6]], [[1, 2], [3, 4], [5, 6]]), [[22, 28], [49, 64]])
same(shapes.above([[1, 2], [3, 4]], 2), [False, True])
same(shapes.counts(array.array("i", [1, 1, 3]), 4), [0, 2, 0, 1])
same(shapes.axpy(2, [], []), [])
assert shapes.total([1, 2.5]) == 3.5
assert [tuple(t) if np else t for t in shapes.turned([(1, 2), (3, 4)]).tolist()] == [(-2, 1), (-4, 3)]
assert len(shapes.pairs([((1, 2), True, 3)])) == 1
shapes.keep(x)
x[0] = 50
same(shapes.kept(), [1, 2, 3])

# handles
shapes.arrays(True)
h = shapes.axpy(2, x, x)
assert type(h) is shapes.Array and h.shape == (3,) and len(h) == 3
same(shapes.axpy(1, h, x), [200, 8, 12])
same(h.memoryview(), [150, 6, 9])
assert shapes.shifted(x).lower == (5,)
view = h.memoryview()
del h
same(view, [150, 6, 9])
shapes.arrays(False)

# strings
assert shapes.upper(["a", None, "\u00e4"]) == ["A", None, "\u00c4"] and shapes.upper([]) == [] and shapes.upper(("x",)) == ["X"]
assert shapes.table(2, "x") == [["x", "0"], ["x", "1"]] and shapes.table(0, "x") == []
assert shapes.noted(["kept"]) == ["kept"] and shapes.noted([]) == ["kept"]
shapes.arrays(True)
words = shapes.upper(["q", "r"])
assert words.shape == (2,) and words.tolist() == ["Q", "R"] and shapes.upper(words).tolist() == ["Q", "R"]
shapes.arrays(False)
fails(TypeError, "holds what is no string", shapes.upper, ["a", 1])
fails(TypeError, "has 0 dimensions, not 1", shapes.upper, "ab")
if np:
    assert shapes.upper(np.array(["ab", "c"])) == ["AB", "C"]

# parameters by reference: results behind the result
assert shapes.len(x) == 3
assert shapes.exchange(1, 2) == (2, 1)
assert shapes.split("one two") == (True, "one", "two") and shapes.split("one") == (False, "one", None)
grown, n = shapes.grow([1, 2], 0.5)
same(grown, [7.5, 2.5, 0.5])
assert n == 2
same(shapes.grow(grown, 1)[0], [8, 3.5, 1.5, 1])
assert shapes.shout(False, "abc", "!") == (True, "abc!", '"')
p, v, all_ = shapes.settle(((1, 2), True, 1), [((5, 6), False, 7)])
assert (p.v.x, p.v.y, p.on, p.n) == (-1, 3, False, 0) and v == shapes.Vec(1, 2)
assert [(q[0][1] if np else q.v.y, q[1] if np else q.on, q[2] if np else q.n) for q in (all_ if np else all_._memory())] == [(2, True, 7), (2, True, 8)]
kept = shapes.Pair(shapes.Vec(3, 4), False, 5)
p, _, _ = shapes.settle(kept, all_)
assert p is kept and kept.n == 4 and kept.v.x == -3  # changed where it is
fails(shapes.CsError, "below 0", shapes.settle, ((1, 2), True, 0), all_)
fails(shapes.CsError, "too long", shapes.shout, False, "abcde", "!")
fails(TypeError, "s is no string", shapes.shout, False, 5, "!")

# integers of another width: those that fit
fails(OverflowError, "counts(): key holds 4294967297, which is no int", shapes.counts, [1, 2**32 + 1], 2)
fails(OverflowError, "key holds", shapes.counts, [2**70], 2)
same(shapes.above([[1, 2], [3, 2**31 - 1]], 2), [False, True])
fails(OverflowError, "100000 is no short", shapes.pairs, [((1, 2), True, 100000)])
fails(OverflowError, "", shapes.next, 2**32 + 65)

# what is left out
assert shapes.greet("you") == "hello, you! 3 True 0.5 None 0"
assert shapes.greet("you", word="bye", k=4, rest=[1, 2]) == "bye, you! 4 True 0.5 None 2"

# a 0 in a string
assert shapes.hello("a\0b") == "hello a\0b" and shapes.upper(["x\0y", "z"]) == ["X\0Y", "Z"]
assert shapes.shout(False, "a\0", "b") == (True, "a\0b", "c")

# errors
e = fails(ZeroDivisionError, "divide by zero", shapes.quotient, 1, 0)
assert isinstance(e, shapes.CsError) and e.type == "DivideByZeroException" and "at quotient (" in e.stack
fails(IndexError, "3", shapes.at, x, 3)
fails(ValueError, "", shapes.axpy, 1, x, [1])
e = fails(ValueError, "a reason", shapes.refuse, "a reason")
assert type(e).__name__ == "OddException" and "at refuse (" in e.stack
fails(RecursionError, "", shapes.deep, 0)
fails(ValueError, "Environment.Exit(3)", shapes.quit)
fails(OverflowError, "no int", shapes.quotient, 2**40, 1)
fails(TypeError, "dimensions, not 2", shapes.mul, x, x)
fails(TypeError, "", shapes.quotient, 1.5, 1)
fails(TypeError, "no string", shapes.hello, 5)

# threads, and contexts
assert shapes.count() == 1
threads = [threading.Thread(target=lambda: [same(shapes.axpy(1, x, x), [100, 4, 6]) for _ in range(50)]) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert shapes.count() == 2
shapes.use("ref")
assert shapes.count() == 1
same(shapes.mul([[1, 2], [3, 4]], [[1, 2], [3, 4]]), [[7, 10], [15, 22]])
shapes.use(None)

# processes, and ^C
def child_of(work):
    """What a forked process, which may not take longer than ten seconds, says of it."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        try:
            said = str(work())
        except Exception as e:
            said = "%s: %s" % (type(e).__name__, e)
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as f:
        said = f.read().decode()
    assert os.waitpid(pid, 0)[1] == 0, "a forked process hangs"
    return said


shapes.use("ref")
said = child_of(lambda: shapes.axpy(2, [1], [1]).tolist())
assert said == "[3.0]" or said.startswith("DeviceException: " + FORKED), said
began = threading.Event()
busy = threading.Thread(target=lambda: (began.set(), shapes.spin(2)))
busy.start()
began.wait()
time.sleep(0.3)
said = child_of(lambda: shapes.axpy(2, [1], [1]).tolist())
assert said.startswith("DeviceException: this process was forked "), said
busy.join()
signal.signal(signal.SIGINT, signal.default_int_handler) # a shell's background jobs ignore it
timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
start = time.monotonic()
timer.start()
try:
    shapes.spin(60)
    raise AssertionError("^C is not heard")
except KeyboardInterrupt:
    assert time.monotonic() - start < 20
assert shapes.quotient(6, 3) == 2
shapes.use("opencl")
large = array.array("f", [1]) * (1 << 20)
try:
    shapes.axpy(2, large, large)
except shapes.CsError:
    pass  # no driver here
else:
    assert child_of(lambda: shapes.axpy(2, [1], [1]).tolist()).startswith("DeviceException: " + FORKED)
shapes.use(None)

# exceptions go from process to process, as multiprocessing hands them on
try:
    shapes.refuse("a reason")
except shapes.CsError as e:
    again = pickle.loads(pickle.dumps(e))
    assert type(again) is type(e) and again.args == e.args and (again.type, again.stack) == (e.type, e.stack)
else:
    assert False

# texts
m = csdollar.compile("float[] twice(float[] a) => 2 * a; // of a notebook")
same(m.twice([1, 2]), [2, 4])
assert csdollar.compile("float[] twice(float[] a) => 2 * a; // of a notebook") is m
fails(csdollar.CompileError, "CS2001", csdollar.compile, "int f() { return g; }")
same(csdollar.compile_file(os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes.cs$")).kept(), [1, 2, 3])

if np:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(shapes.mul(a, a.T), a @ a.T) and shapes.mul(a, a.T).dtype == np.float32
    assert np.array_equal(shapes.axpy(np.float32(2), a[0], np.arange(3)), 2 * a[0] + np.arange(3))
    assert shapes.total(np.arange(10.0)[::2]) == 20
    big = np.random.default_rng(1).random((300, 200), dtype=np.float32)
    assert np.allclose(shapes.mul(big, big.T), big @ big.T, rtol=1e-4)
    u = np.zeros((50, 60), np.float32)
    u[20:30, 20:30] = 1
    v = u.copy()
    for _ in range(3):
        v[1:-1, 1:-1] = v[1:-1, 1:-1] + 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4 * v[1:-1, 1:-1])
    assert np.allclose(shapes.diffuse(u, 3), v, atol=1e-6)
    k = np.random.default_rng(2).integers(0, 9, 1000, dtype=np.int32)
    assert np.array_equal(shapes.counts(k, 9), np.bincount(k, minlength=9))
    dtype = np.dtype([("x", "f4"), ("y", "f8")], align=True)
    w = np.array([(1, 2), (3, 4)], dtype)
    assert shapes.turned(w)["x"].tolist() == [-2, -4]
    r = shapes.kept()
    assert not r.flags.writeable
    fails(TypeError, "not of int32", shapes.counts, np.ones(3), 2)
    same(shapes.counts(np.array([0, 1, 1]), 2), [1, 2])
    fails(OverflowError, "key holds -2147483649, which is no int", shapes.counts, np.array([0, -(2**31) - 1]), 2)
    fails(OverflowError, "key holds 4294967295", shapes.counts, np.array([2**32 - 1], np.uint32), 2)
    lent = np.ones(1 << 16, np.float32)
    lent.flags.writeable = False
    assert shapes.axpy(1, lent, lent).sum() == 1 << 17
    assert np.array_equal(np.frombuffer(shapes.same(lent), np.float32), lent)
print("ok")
