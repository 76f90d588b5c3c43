"""The modules that are loaded before a process is confined, because it cannot load them afterwards."""

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
"""Encodings of Windows only, and those of several bytes a character: each is a library that every fork would map."""

MODULES = (
    # Mathematics and data structures.
    *("array", "bisect", "cmath", "collections", "collections.abc", "decimal", "fractions", "graphlib", "heapq"),
    *("math", "numbers", "queue", "random", "statistics", "weakref"),
    # Functions and classes.
    *("abc", "contextlib", "copy", "copyreg", "dataclasses", "enum", "functools", "inspect", "itertools", "operator"),
    *("pprint", "reprlib", "types", "typing", "warnings"),
    # Text.
    *("base64", "binascii", "codecs", "difflib", "hashlib", "json", "keyword", "logging", "re", "string", "struct"),
    *("textwrap", "token", "tokenize", "unicodedata", "uuid"),
    # What functions of NumPy import when they are called, such as `np.savez` into memory.
    *("ctypes", "mmap", "shutil", "sysconfig", "zipfile"),
    # Time, and modules for tests that people leave in their file.
    *("ast", "calendar", "datetime", "gc", "io", "os", "os.path", "pathlib", "pickle", "platform", "sys"),
    *("tempfile", "time", "timeit", "traceback", "unittest", "unittest.mock", "argparse", "threading"),
    "tracemalloc",
    *("__future__", "builtins", "importlib", "dis", "secrets", "zlib", "atexit", "signal"),
    # Encodings of the source: those of one byte a character, and of Unicode.
    *(f"encodings.{each.name}" for each in iter_modules(encodings.__path__) if not each.name.startswith(_LEFT_OUT)),
)
"""The modules of the standard library that a submission can import under the sealed profile."""

_NOT_OF_ANSWERS = frozenset({"conftest", "distutils", "f2py", "mypy_plugin", "print_coercion_tables", "tests"})
"""Parts of NumPy that compile, test or check NumPy: they start programs, or need other packages."""


def preload() -> None:
    """Load everything that a submission can import under the sealed profile. Modules that Python lacks are skipped."""
    _load(MODULES)
    load_numpy()


def load_numpy() -> None:
    """Load everything of NumPy that a submission may use, including what this release loads at its first use.

    Under the sealed profile it could not be loaded later. Under a tight memory limit its memory would count as the
    submission's.
    """
    import numpy as np

    # `from numpy import *`, which `numpy.matlib` and some submissions contain, loads each of these names.
    np.__all__ = [name for name in np.__all__ if name not in _NOT_OF_ANSWERS]
    for name in numpy_modules():
        _load((name,))
    np.__all__ = [name for name in np.__all__ if name in vars(np)]


def numpy_modules() -> Iterator[str]:
    """Yield the names of NumPy's public modules, a package before its modules. This imports the packages."""
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
