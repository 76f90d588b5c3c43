"""Modules that are loaded before a process is confined, as it cannot load them afterwards."""

from __future__ import annotations

import encodings
import warnings
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["MODULES", "load_numpy", "numpy_modules", "preload"]

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
    # What functions of NumPy import when they are called, such as `np.savez` into memory.
    *("ctypes", "mmap", "shutil", "sysconfig", "zipfile"),
    # Time, and what people leave in a file that they have tested themselves.
    *("ast", "calendar", "datetime", "gc", "io", "os", "os.path", "pathlib", "pickle", "platform", "sys"),
    *("tempfile", "time", "timeit", "traceback", "unittest", "unittest.mock", "argparse", "threading"),
    *("__future__", "builtins", "importlib", "dis", "secrets", "zlib", "atexit", "signal"),
    # The source may be in any encoding of one byte a character, or of Unicode.
    *(f"encodings.{each.name}" for each in iter_modules(encodings.__path__) if not each.name.startswith(_LEFT_OUT)),
)
"""Modules of the standard library that a file graded under the sealed profile can import, and what these import."""

_NOT_OF_ANSWERS = frozenset({"conftest", "distutils", "f2py", "mypy_plugin", "print_coercion_tables", "tests"})
"""Parts of NumPy that compile, test or check NumPy: they start programs, or need packages that are not there."""


def preload() -> None:
    """Load all that a file under the sealed profile can import; a Python built without a module goes without it."""
    _load(MODULES)
    load_numpy()


def load_numpy() -> None:
    """Load all of NumPy that an answer may use, whatever this release would load only at its first use.

    Under the sealed profile it could not be loaded later. Under a tight memory bound its memory would be the answer's.
    """
    import numpy as np

    # `from numpy import *`, which `numpy.matlib` and right answers contain, looks for each of these names.
    np.__all__ = [name for name in np.__all__ if name not in _NOT_OF_ANSWERS]
    for name in numpy_modules():
        _load((name,))
    np.__all__ = [name for name in np.__all__ if name in vars(np)]


def numpy_modules() -> Iterator[str]:
    """Yield the names of NumPy's public modules, of a package before those in it; the packages are imported."""
    import numpy as np

    yield from _modules_below("numpy", np.__path__)


def _modules_below(package: str, path: Sequence[str]) -> Iterator[str]:
    for found in iter_modules(path):
        if found.name.startswith("_") or found.name in _NOT_OF_ANSWERS:
            continue
        name = f"{package}.{found.name}"
        yield name
        if found.ispkg:
            yield from _modules_below(name, import_module(name).__path__)


def _load(names: Sequence[str]) -> None:
    with warnings.catch_warnings(action="ignore"):
        for name in names:
            with suppress(ImportError):
                import_module(name)
