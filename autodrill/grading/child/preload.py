"""What a file graded under the sealed profile can import: loaded beforehand, as nothing can be read any more then."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

__all__ = ["MODULES", "preload"]

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
    *("numpy.ctypeslib", "numpy.exceptions", "numpy.fft", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.ma"),
    *("numpy.polynomial", "numpy.random", "numpy.rec", "numpy.strings", "numpy.testing", "numpy.typing"),
    # The source's own encoding may be any of these.
    *("encodings.ascii", "encodings.cp1252", "encodings.iso8859_1", "encodings.iso8859_15", "encodings.latin_1"),
    *("encodings.idna", "encodings.raw_unicode_escape", "encodings.unicode_escape", "encodings.utf_16"),
    *("encodings.utf_8_sig", "encodings.utf_32"),
)
"""Modules of the standard library and NumPy; what they import themselves is loaded with them."""


def preload() -> None:
    """Import them; a Python that was built without one goes without."""
    for name in MODULES:
        with suppress(ImportError):
            import_module(name)
