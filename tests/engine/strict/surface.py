"""What CuPy has: the names, keyword arguments and loops of its public functions, read from the installed package.

`cupy_surface.txt` is that list for one release. The strict device gives what stands there and nothing else. Run
`python -m tests.engine.strict.surface` where CuPy is installed to write the list again; no GPU is needed.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FILE", "NAMESPACES", "Entry", "installed", "lines", "recorded"]

FILE = Path(__file__).with_name("cupy_surface.txt")

NAMESPACES = {
    "numpy": "cupy",
    "linalg": "cupy.linalg",
    "fft": "cupy.fft",
    "random": "cupy.random",
    "generator": "cupy.random.Generator",
    "stride_tricks": "cupy.lib.stride_tricks",
    "ndarray": "cupy.ndarray",
    "ufunc": "cupy.ufunc",
    "cupyx": "cupyx",
    "special": "cupyx.scipy.special",
}
"""The parts of CuPy that are listed, by the word that stands for each in the list."""

_DUNDERS = frozenset({"ndarray"})
"""Classes whose special methods are listed too, without their parameters, whose names differ from Python to Python: an
operator that is missing decides whether `x @= y` is in place."""

_BY_PYTHON = frozenset({"__buffer__", "__release_buffer__"})
"""Special methods that Python adds to the classes of an extension from 3.12 on."""


@dataclass(frozen=True)
class Entry:
    """One name.

    Attributes:
        kind: `ufunc`, `function`, `type` or `value`.
        detail: The parameters of a function, separated by commas, and the loops of a ufunc, separated by spaces.
    """

    kind: str
    detail: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of a function, those with a default followed by `=`; nothing if they are not known."""
        return tuple(filter(None, self.detail.split(","))) if self.kind == "function" else ()

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops of a ufunc, as `dd->d`; CuPy's own letter `E` is bfloat16."""
        return tuple(loop for loop in self.detail.split() if "E" not in loop) if self.kind == "ufunc" else ()


def _signature(function: Any) -> str:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return _documented(function)
    found, positional = [], True
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and positional:
            found.append("*")
        positional = positional and p.kind not in {p.KEYWORD_ONLY, p.VAR_POSITIONAL}
        star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        found.append(f"{star}{p.name}{'' if p.default is p.empty else '='}")
    return ",".join(found)


def _documented(function: Any) -> str:
    """Return the parameters in the first line of a docstring, where Cython writes the signature."""
    first = (function.__doc__ or "").split("\n", 1)[0]
    match = re.fullmatch(r"[\w.]+\((.*)\)(?: ->.*)?", first.strip())
    if match is None:
        return "*args,**kwargs"
    found = []
    for part in re.sub(r"\([^()]*\)", "", match.group(1)).split(","):
        name, default = part.strip().partition("=")[::2]
        name = name.split()[-1].rstrip(":") if name.strip() else ""
        found.append(f"{name}=" if default else name)
    return ",".join(found)


def _entry(value: Any) -> Entry:
    kind = type(value).__name__
    if kind == "ufunc":
        return Entry("ufunc", " ".join(value.types))
    if inspect.isclass(value):
        return Entry("type", "")
    if kind == "_GUFunc":
        return Entry("function", _signature(value))
    if kind == "getset_descriptor" or not callable(value):
        return Entry("value", "")
    return Entry("function", _signature(value))


def _of(namespace: str, place: Any) -> Iterator[tuple[str, str, Entry]]:
    for name in dir(place):
        special = name.startswith("__") and namespace in _DUNDERS and name not in dir(object)
        if name.startswith("_") and not special:
            continue
        value = getattr(place, name)
        if inspect.ismodule(value) or name in _BY_PYTHON:
            continue
        entry = _entry(value)
        if special and entry.kind == "function":
            entry = Entry("function", "*args,**kwargs")
        elif inspect.ismodule(place) and entry.detail == "self":  # what Python 3.13 says of a function of an extension
            entry = Entry("function", "")
        yield namespace, name, entry


@cache
def installed() -> dict[tuple[str, str], Entry]:
    """Return the list of the installed CuPy.

    Raises:
        ImportError: CuPy is not installed.
    """
    import cupy
    import cupyx.scipy.special

    found = {}
    for namespace, path in NAMESPACES.items():
        first, *others = path.split(".")
        place: Any = cupy if first == "cupy" else cupyx
        for other in others:
            place = getattr(place, other)
        found.update({(where, name): entry for where, name, entry in _of(namespace, place)})
    return found


def lines(entries: dict[tuple[str, str], Entry]) -> list[str]:
    """Return the lines of the file for a list."""
    return [f"{where} {name} {e.kind} {e.detail}".rstrip() for (where, name), e in sorted(entries.items())]


@cache
def recorded() -> dict[tuple[str, str], Entry]:
    """Return the list in the file."""
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        where, name, kind, *detail = line.split(" ", 3)
        found[where, name] = Entry(kind, detail[0] if detail else "")
    return found


def recorded_release() -> str:
    """Return the release of CuPy that the file was made from."""
    return FILE.read_text(encoding="utf-8").split("\n", 1)[0].split()[2].rstrip(";")


if __name__ == "__main__":
    import cupy

    header = f"# CuPy {cupy.__version__}; written by `python -m tests.engine.strict.surface`"
    FILE.write_text("\n".join([header, *lines(installed())]) + "\n", encoding="utf-8")
