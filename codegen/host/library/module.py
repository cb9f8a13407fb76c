import builtins as _b # functions of the library may have the names of these
import ctypes as _c
import operator as _operator
import os as _os
import struct as _struct
import threading as _threading
import typing

try:
    import numpy as _np
except ImportError:
    _np = None
if typing.TYPE_CHECKING:
    import numpy
    import numpy.typing

# cs_type of codegen/abi/embed.h: the name of a scalar: its number, ctypes' type, NumPy's, the format of buffers.
_SCALARS = {
    "bool": (0, _c.c_bool, "bool", "?"),
    "sbyte": (1, _c.c_int8, "int8", "b"),
    "byte": (2, _c.c_uint8, "uint8", "B"),
    "short": (3, _c.c_int16, "int16", "h"),
    "ushort": (4, _c.c_uint16, "uint16", "H"),
    "char": (5, _c.c_uint32, "uint32", "I"),
    "int": (6, _c.c_int32, "int32", "i"),
    "uint": (7, _c.c_uint32, "uint32", "I"),
    "long": (8, _c.c_int64, "int64", "q"),
    "ulong": (9, _c.c_uint64, "uint64", "Q"),
    "half": (10, _c.c_uint16, "float16", "e"),
    "float": (11, _c.c_float, "float32", "f"),
    "double": (12, _c.c_double, "float64", "d"),
}
_STRING, _INTERRUPTED = 64, 17



def _encode(text):
    """A string for the library, in which a \\0 is two bytes, as embed.h says."""
    return None if text is None else text.encode().replace(b"\0", b"\xc0\x80")


def _decode(data):
    return None if data is None else data.replace(b"\xc0\x80", b"\0").decode("utf-8", "replace")


class _Error(_c.Structure):
    _fields_ = [("code", _c.c_int32), ("type", _c.c_char_p), ("message", _c.c_char_p), ("stack", _c.c_char_p)]


class _Array(_c.Structure):
    _fields_ = [("type", _c.c_int32), ("rank", _c.c_int32), ("n", _c.c_int64 * 4), ("lo", _c.c_int64 * 4)]


class CsError(Exception):
    """An exception of C$ code: its class is `type`, its functions with their lines are `stack`."""

    type = stack = ""
    _code = 0

    def __reduce__(self): # workers of multiprocessing hand it on
        return _exception, (self.type, self._code, self.args[0], self.stack)


_BASES = {3: ZeroDivisionError, 2: IndexError, 10: KeyError, 5: OSError, 6: MemoryError, 15: RecursionError,
          4: ValueError, 11: ValueError, 12: ValueError, 13: ValueError, 1: ValueError, 9: TypeError, 14: OverflowError}
_classes = {}


def _exception(name, code, message, stack):
    if (name, code) not in _classes:
        base = _BASES.get(code)
        _classes[name, code] = _b.type(name, (CsError, base) if base else (CsError,), {"__module__": __name__})
    exception = _classes[name, code](message)
    exception.type, exception._code, exception.stack = name, code, stack
    if _b.hasattr(exception, "add_note") and stack:
        exception.add_note("in C$:\n" + stack.rstrip("\n"))
    return exception


def _raise(error):
    e = error.contents
    name, message = e.type.decode(), e.message.decode("utf-8", "replace")
    stack, code = e.stack.decode("utf-8", "replace"), e.code
    _lib_free_error(error)
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    raise _exception(name, code, message, stack)


class Array:
    """An array of the library, as its functions give it without NumPy, or with `arrays(True)`. It is a buffer for
    memoryview(), and can be given to other functions, which then need no copy."""

    __slots__ = ("_handle", "_context", "_type", "shape", "__weakref__")

    def __init__(self, handle, context, type_):
        self._handle, self._context, self._type = handle, context, type_
        a = handle.contents
        self.shape = _b.tuple(a.n[: a.rank])

    def __del__(self):
        if self._handle and _lib_release: # not when Python itself ends
            _lib_release(self._handle)
            self._handle = None

    @property
    def lower(self):
        """The first index of each dimension."""
        a = self._handle.contents
        return _b.tuple(a.lo[: a.rank])

    def __len__(self):
        return self.shape[0]

    def _memory(self):
        data, count = _c.c_void_p(), 1
        error = _lib_read(self._handle, _c.byref(data))
        if error:
            _raise(error)
        for n in self.shape:
            count *= n
        memory = (_ctype(self._type) * count).from_address(data.value)
        memory._array = self  # it lives as long as what refers to its memory
        return memory

    def memoryview(self):
        """Its elements, without a copy; one dimension if it is empty, or of records."""
        memory = self._memory()
        if self._type in _SCALARS and 0 not in self.shape:
            return _b.memoryview(memory).cast("B").cast(_SCALARS[self._type][3], self.shape).toreadonly()
        return _b.memoryview(memory).toreadonly()

    def tolist(self):
        if 0 in self.shape:
            return [] if self.shape[0] == 0 else _empty(self.shape)
        if self._type == "string":
            cells = [_decode(text) for text in self._memory()]
            for n in self.shape[:0:-1]:
                cells = [cells[i : i + n] for i in _b.range(0, _b.len(cells), n)]
            return cells
        if self._type in _SCALARS and self._type != "half":
            return self.memoryview().tolist()
        if self._type == "half" and _b.len(self.shape) == 1:
            data = _b.bytes(self._memory())
            return _b.list(_struct.unpack("%de" % (_b.len(data) // 2), data))
        return [_b.tuple(_b.getattr(r, f) for f, _ in r._fields_) for r in self._memory()]

    def _numpy(self):
        if self._type in _SCALARS:
            return _np.asarray(self)
        a = _np.ndarray(self.shape, _dtype(self._type), self._memory())
        a.flags.writeable = False
        return a

    @property
    def __array_interface__(self):
        data = _c.c_void_p()
        error = _lib_read(self._handle, _c.byref(data))
        if error:
            _raise(error)
        return {"version": 3, "shape": self.shape, "data": (data.value, True), "typestr": _dtype(self._type).str}


def _limits(type_):
    bits, signed = 8 * _c.sizeof(_SCALARS[type_][1]), type_ in ("sbyte", "short", "int", "long")
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


_LIMITS = {t: _limits(t) for t in ("sbyte", "byte", "short", "ushort", "int", "uint", "long", "ulong")}


def _integer(type_):
    low, high = _LIMITS.get(type_, (0, 0x10FFFF))

    def convert(value):
        value = _operator.index(value)
        if low <= value <= high:
            return value
        raise OverflowError("%d is no %s" % (value, type_))

    return convert


_code_point = _integer("char")


class _Record(_c.Structure):
    """A final class of C$. ctypes would take integers without their upper bits."""

    def __setattr__(self, name, value):
        kind = self._kinds_.get(name)
        _c.Structure.__setattr__(self, name, _SCALAR[kind](value) if kind in _LIMITS else _record(kind, value))


def _record(type_, value):
    """A structure of a tuple of its fields; what is no tuple, or of no record, as it is."""
    return _ctype(type_)(*value) if type_ in _RECORDS and _b.isinstance(value, _b.tuple) else value


def _empty(shape):
    return [_empty(shape[1:]) for _ in _b.range(shape[0])] if shape else None


def _ctype(type_):
    if type_ == "string":
        return _c.c_char_p
    return _SCALARS[type_][1] if type_ in _SCALARS else _RECORDS[type_][1]


def _dtype(type_):
    if type_ not in _dtypes:
        _dtypes[type_] = _np.dtype(_SCALARS[type_][2]) if type_ in _SCALARS else _np.dtype(_RECORDS[type_][1])
    return _dtypes[type_]


_dtypes, _RECORDS, _DEVICE = {}, {}, _os.environ.get("CS_LIBRARY_DEVICE")
_lib = _c.CDLL(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), _FILE))


def _function(name, result, *params):
    f = _b.getattr(_lib, _NAME + "_" + name)
    f.restype, f.argtypes = result, params
    return f


_errp, _arrp = _c.POINTER(_Error), _c.POINTER(_Array)
_lib_open = _function("open", _errp, _c.c_char_p, _c.c_void_p)
_lib_close = _function("close", None, _c.c_void_p)
_lib_read = _function("read", _errp, _arrp, _c.c_void_p)
_lib_release = _function("release", None, _arrp)
_lib_free_error = _function("free_error", None, _errp)
_lib_heed_interrupts = _function("heed_interrupts", None, _c.c_void_p, _c.c_int32)
_lib_free_text = _function("free_text", None, _c.c_void_p)
_lib_array = _function("array", _errp, _c.c_void_p, _c.c_int32, _c.c_int32, _c.c_void_p, _c.c_void_p, _c.c_void_p)
_lib_wrap = _function("wrap", _errp, _c.c_void_p, _c.c_int32, _c.c_int32, _c.c_void_p, _c.c_void_p, _c.c_void_p)


class _Context:
    """Opened by the first call; static fields live in it."""

    def __init__(self, device):
        self._as_parameter_ = _c.c_void_p()
        error = _lib_open(device.encode() if device else None, _c.byref(self._as_parameter_))
        if error:
            _raise(error)
        _lib_heed_interrupts(self, 1)

    def __del__(self):
        if self._as_parameter_ and _lib_close:
            _lib_close(self._as_parameter_)


_state = {"context": None, "handles": False}
_lock = _threading.Lock()


def _context():
    with _lock:
        if _state["context"] is None:
            _state["context"] = _Context(_DEVICE)
        return _state["context"]


def use(device):
    """Goes on with a fresh context on this device (what CS_DEVICE can be; None: what that says)."""
    with _lock:
        _state["context"] = _Context(device)


def arrays(handles):
    """Whether functions give `Array`s, which may still be computed, instead of NumPy arrays."""
    _state["handles"] = _b.bool(handles)


def _wrong(name, param, what):
    return TypeError("%s(): %s %s" % (name, param, what))


def _cells(value):
    """The shape of nested sequences, and their numbers in order."""
    if not _b.hasattr(value, "__len__") or _b.isinstance(value, (_b.str, _b.bytes)):
        return (), [value]
    shape, cells, inner = (_b.len(value),), [], None
    for v in value:
        s, c = _cells(v)
        if inner is not None and s != inner:
            raise ValueError("rows of different lengths")
        inner = s
        cells += c
    return shape + (inner or ()), cells


def _in_range(name, param, type_, *extremes):
    for value in extremes:
        if not _LIMITS[type_][0] <= value <= _LIMITS[type_][1]:
            raise OverflowError("%s(): %s holds %d, which is no %s" % (name, param, value, type_))


def _holds_integers(a):
    """Of Python's own where one is too large for NumPy's."""
    return a.dtype.kind in "iu" or a.dtype.kind == "O" and _b.all(_b.isinstance(v, _b.int) for v in a.flat)


def _give_numpy(name, param, type_, rank, value):
    a = value
    dtype = _dtype(type_)
    if dtype.fields is not None and _b.isinstance(value, (_b.list, _b.tuple)):
        return _give_buffer(name, param, type_, rank, value)
    if _b.type(a) is not _np.ndarray or a.dtype != dtype or not a.flags.c_contiguous:
        a = _np.asarray(value)
        if a.dtype != dtype:
            if type_ in _LIMITS and a.size and _holds_integers(a):
                _in_range(name, param, type_, a.min(), a.max())
            elif dtype.fields is None and a.size and not _np.can_cast(a.dtype, dtype, "same_kind"):
                raise _wrong(name, param, "is an array of %s, not of %s" % (a.dtype, dtype))
            a = a.astype(dtype)
        a = _np.ascontiguousarray(a) if a.ndim else a
    if a.ndim != rank:
        raise _wrong(name, param, "has %d dimensions, not %d" % (a.ndim, rank))
    return a, a.ctypes.data if a.size == 0 else _address(a), a.shape


_byte = _c.c_char


def _address(a):
    if a.flags.writeable:
        return _c.addressof(_byte.from_buffer(a)) if a.dtype.fields is None else a.ctypes.data
    return a.__array_interface__["data"][0]


def _give_buffer(name, param, type_, rank, value):
    """Of anything that has a buffer without copying, of sequences of numbers with it."""
    ctype = _ctype(type_)
    if _b.isinstance(value, (_b.list, _b.tuple)):
        shape, cells = _cells(value) if type_ in _SCALARS else ((_b.len(value),), value)
        shape += (0,) * (rank - _b.len(shape)) if not cells else ()
        if type_ == "half":
            cells = _struct.unpack("%dH" % _b.len(cells), _struct.pack("%de" % _b.len(cells), *cells))
        if type_ == "char":
            cells = [_SCALAR["char"](c) for c in cells]
        if type_ in _RECORDS:
            cells = [_record(type_, c) for c in cells]
        if type_ in _LIMITS and cells:
            cells = [_operator.index(c) for c in cells]
            _in_range(name, param, type_, _b.min(cells), _b.max(cells))
        keep = (ctype * _b.len(cells))(*cells)
        address = _c.addressof(keep)
    else:
        view = _b.memoryview(value)
        same = view.format.lstrip("@=<") in (_SCALARS[type_][3], {"q": "l", "Q": "L"}.get(_SCALARS[type_][3]))
        if not same or not view.c_contiguous or view.itemsize != _c.sizeof(ctype):
            raise _wrong(name, param, "has elements of format '%s', not '%s'" % (view.format, _SCALARS[type_][3]))
        shape, keep = view.shape, view
        if view.readonly:
            keep = (_c.c_char * view.nbytes).from_buffer_copy(view)
            address = _c.addressof(keep)
        else:
            address = _c.addressof(_c.c_char.from_buffer(view)) if view.nbytes else 0
    if _b.len(shape) != rank:
        raise _wrong(name, param, "has %d dimensions, not %d" % (_b.len(shape), rank))
    return keep, address, shape


def _give_strings(name, param, rank, value):
    shape, cells = _cells(value.tolist() if _np is not None and _b.type(value) is _np.ndarray else value)
    shape += (0,) * (rank - _b.len(shape)) if not cells else ()
    if _b.len(shape) != rank:
        raise _wrong(name, param, "has %d dimensions, not %d" % (_b.len(shape), rank))
    if not _b.all(c is None or _b.isinstance(c, _b.str) for c in cells):
        raise _wrong(name, param, "holds what is no string")
    keep = (_c.c_char_p * _b.len(cells))(*[_encode(c) for c in cells])
    return keep, _c.addressof(keep), shape


_give_cells = _give_numpy if _np else _give_buffer


def _give(name, param, type_, rank, value):
    return _give_strings(name, param, rank, value) if type_ == "string" else _give_cells(name, param, type_, rank, value)


def _take(context, type_, handle):
    a = Array(handle, context, type_)
    if type_ == "string" and not _state["handles"]:
        return a.tolist()
    if _np is None or _state["handles"]:
        return a
    return a._numpy()


_SCALAR = {t: _integer(t) for t in _LIMITS}
_SCALAR.update(
    bool=_b.bool,
    float=_b.float,
    double=_b.float,
    half=lambda value: _struct.unpack("H", _struct.pack("e", value))[0],
    char=lambda value: _code_point(_b.ord(value) if _b.isinstance(value, _b.str) else value),
)


def _bind(name, params, result):
    """The function of the library: params are (name, type, rank, mode), result (type, rank); rank 0: one value; mode 1: ref, 2: out."""
    kinds, letters, refs = [], [], _b.any(p[3] for p in params)
    for _, type_, rank, mode in params:
        scalar = _SCALARS.get(type_)
        if mode:
            kinds.append("place")
            letters.append(_c.c_void_p)
            continue
        kinds.append("array" if rank else "string" if type_ == "string" else "scalar" if scalar else "record")
        kinds_ = [_c.c_void_p] + [_c.c_int64] * rank if rank else [_c.c_char_p if type_ == "string" else scalar[1] if scalar else _c.c_void_p]
        letters += kinds_
    out = None
    if result:
        type_, rank = result
        out = _arrp if rank else _c.c_void_p if type_ == "string" else _ctype(type_)
    f = _function(name, _errp, _c.c_void_p, *letters, *([_c.c_void_p] if result else []))
    on = None
    if "array" in kinds:
        types = [_arrp if k == "array" else _c.c_char_p if k == "string" else _SCALARS[p[1]][1] if k == "scalar" else _c.c_void_p
                 for k, p in _b.zip(kinds, params)]
        on = _function(name + "_on", _errp, _c.c_void_p, *types, *([_c.c_void_p] if result else []))
    state, byref = _state, _c.byref

    def handle_of(param, type_, rank, value, context):
        if _b.isinstance(value, Array):
            return value
        keep, address, shape = _give(name, param, type_, rank, value)
        handle = _arrp()
        number = _STRING if type_ == "string" else _SCALARS[type_][0] if type_ in _SCALARS else _RECORDS[type_][0]
        error = _lib_array(context, number, rank, (_c.c_int64 * rank)(*shape), address, byref(handle))
        if error:
            _raise(error)
        return Array(handle, context, type_)

    def place_of(param, type_, rank, value, context, kept):
        """Where a parameter by `ref` is. What comes out is another string or array."""
        if rank:
            h = handle_of(param, type_, rank, value, context)
            kept.append(h)
            return _arrp(h._handle.contents)
        if type_ in _RECORDS:  # a structure is changed where it is
            return value if _b.isinstance(value, _ctype(type_)) else _ctype(type_)(*value)
        if type_ != "string":
            return _ctype(type_)(_SCALAR[type_](value))
        if value is not None and not _b.isinstance(value, _b.str):
            raise _wrong(name, param, "is no string")
        text = None if value is None else _c.c_char_p(_encode(value))
        kept.append(text)
        return _c.cast(text, _c.c_void_p)

    def taken(type_, rank, place, context):
        if rank:
            return _take(context, type_, place)
        if type_ == "string":
            text = None if not place.value else _decode(_c.cast(place, _c.c_char_p).value)
            _lib_free_text(place)
            return text
        if type_ in _RECORDS:
            return place
        value = place.value
        if type_ == "half":
            return _struct.unpack("e", _struct.pack("H", value))[0]
        return _b.chr(value) if type_ == "char" else value

    def call_refs(*values):
        values, places = _b.iter(values), []
        given = [None if mode == 2 else _b.next(values) for _, _, _, mode in params]
        first = call(*given, places=places)
        all_ = ([first] if result else []) + [taken(type_, rank, place, context) for type_, rank, place, context in places]
        return all_[0] if _b.len(all_) == 1 else _b.tuple(all_)

    def call(*values, places=None):
        context = state["context"] or _context()
        args, kept = [context], []
        handles = on is not None and _b.any(_b.type(v) is Array for v in values)
        for (param, type_, rank, mode), kind, value in _b.zip(params, kinds, values):
            if kind == "scalar":
                args.append(_SCALAR[type_](value))
            elif kind == "string":
                if value is not None and not _b.isinstance(value, _b.str):
                    raise _wrong(name, param, "is no string")
                args.append(_encode(value))
            elif kind == "place":
                fresh = _arrp if rank else _c.c_void_p if type_ == "string" else _ctype(type_)
                place = fresh() if mode == 2 else place_of(param, type_, rank, value, context, kept)
                places.append((type_, rank, place, context))
                args.append(_c.addressof(place))
            elif kind == "record":
                r = value if _b.isinstance(value, _ctype(type_)) else _ctype(type_)(*value)
                kept.append(r)
                args.append(_c.addressof(r))
            elif handles:
                h = handle_of(param, type_, rank, value, context)
                kept.append(h)
                args.append(h._handle)
            else:
                keep, address, shape = _give(name, param, type_, rank, value)
                kept.append(keep)
                args.append(address)
                args.extend(shape)
        if out is None:
            error = (on if handles else f)(*args)
            if error:
                _raise(error)
            return None
        place = out()
        args.append(byref(place))
        error = (on if handles else f)(*args)
        if error:
            _raise(error)
        return taken(result[0], result[1], place, context)

    return call_refs if refs else call
