"""C$ in Python: compiles C$ files and texts with csc and calls their functions.

    import csdollar
    m = csdollar.compile("float[] axpy(float a, float[] x, float[] y) => a * x + y;")
    m.axpy(2, [1, 2, 3], [1, 1, 1])
"""
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

__all__ = ["compile", "compile_file", "CompileError"]


class CompileError(Exception):
    """What csc says of a text that is no C$."""


_modules = {}


def _compiler():
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(os.path.dirname(here), "csc")  # of a build
    found = os.environ.get("CSC") or shutil.which("csc") or (beside if os.access(beside, os.X_OK) else None)
    if not found:
        raise CompileError("csc is not on PATH; CSC names it")
    return found


def _load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _make(arguments, name, text):
    key = hashlib.sha256(repr((arguments, name, text)).encode()).hexdigest()
    if key in _modules:
        return _modules[key]
    with tempfile.TemporaryDirectory() as folder:  # what is loaded needs no file
        path = os.path.join(folder, name + ".py")
        run = subprocess.run([_compiler(), "--python", *arguments, "-o", path], input=text, capture_output=True, text=True)
        if run.returncode:
            raise CompileError(run.stderr.rstrip("\n"))
        if run.stderr:
            sys.stderr.write(run.stderr)
        module = _load(path, name)
    if text is not None:
        _modules[key] = module
    return module


def compile(text, options=(), name="snippet"):
    """The module of the functions of a text, which is compiled once. options: for csc, such as "--precise"."""
    return _make([*options, "-"], name, text)


def compile_file(path, options=()):
    """The module of the functions of a file."""
    name = os.path.splitext(os.path.basename(path))[0]
    return _make([*options, path], "".join(c if c.isalnum() else "_" for c in name), None)
