#!/usr/bin/python3
"""Makes the values that the programs beside this compare the library with: NAME.values for NAME.cs$.

Needs python3-numpy, python3-scipy and python3-pil. Run by hand, tests/numpy/make.py [NAME..], when a function is added: what it
writes is kept. Keys of results begin with the function of the library.
"""
import importlib
import sys
import warnings

sys.dont_write_bytecode = True
warnings.simplefilter("ignore")
for name in sys.argv[1:] or ["arrays", "files", "linear", "statistics", "transforms"]:
    importlib.import_module("values_" + name).make()
