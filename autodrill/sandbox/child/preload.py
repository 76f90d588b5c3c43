"""What a file graded under the sealed profile can import: loaded beforehand, as nothing can be read any more then."""

from __future__ import annotations

import encodings
import warnings
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules

__all__ = ["MODULES", "preload"]

_LEFT_OUT = ("mbcs", "oem", "big5", "cp932", "cp949", "cp950", "euc_", "gb", "hz", "iso2022", "johab", "shift_jis")
"""Encodings of Windows alone, and those of several bytes a character: each is a library, which every fork maps."""

MODULES = (
    # What mathematics and data structures need.
    *("array", "bisect", "cmath", "collections", "collections.abc", "decimal", "fractions", "graphlib", "heapq"),
    *("math", "numbers", "queue", "random", "statistics", "weakref"),
    # What functions and classes are made with.
    *("abc", "contextlib", "copy", "copyreg", "dataclasses", "enum", "functools", "inspect", "itertools", "operator"),
    *("pprint", "reprlib", "types", "typing", "warnings"),
    # Text.
    *("base64", "binascii", "codecs", "difflib", "hashlib", "json", "keyword", "logging", "re", "string", "struct"),
    *("textwrap", "token", "tokenize", "unicodedata", "uuid"),
    # Time, and what people leave in a file that they have tested themselves.
    *("ast", "calendar", "datetime", "gc", "io", "os", "os.path", "pathlib", "pickle", "platform", "sys"),
    *("tempfile", "time", "timeit", "traceback", "unittest", "unittest.mock", "argparse", "threading"),
    *("__future__", "builtins", "importlib", "dis", "secrets", "zlib", "atexit", "signal"),
    # NumPy loads these only when they are asked for.
    *("numpy.char", "numpy.core", "numpy.core.numeric"),
    *("numpy.ctypeslib", "numpy.exceptions", "numpy.fft", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.ma"),
    *("numpy.polynomial", "numpy.random", "numpy.rec", "numpy.strings", "numpy.testing", "numpy.typing"),
    # The source may be in any encoding of one byte a character, or of Unicode.
    *(f"encodings.{each.name}" for each in iter_modules(encodings.__path__) if not each.name.startswith(_LEFT_OUT)),
)
"""Modules of the standard library and NumPy; what they import themselves is loaded with them."""


def preload() -> None:
    """Import them; a Python that was built without one goes without."""
    import numpy as np

    with warnings.catch_warnings(action="ignore"):
        for name in MODULES:
            with suppress(ImportError):
                import_module(name)
    # `from numpy import *` would go and look for what is not loaded, and is a right thing to write.
    np.__all__ = [name for name in np.__all__ if name in vars(np)]
