"""The kinds of exercises, one module each: `jvp_kind.py` holds the kind that a header calls `jvp`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodrill.drills.kind import Kind

__all__ = ["kind_named", "kind_names"]

_SUFFIX = "_kind"


@cache
def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds in alphabetical order, without importing their modules."""
    names = (module.name for module in iter_modules(__path__))
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


@cache
def kind_named(name: str) -> Kind:
    """Return a kind by its name, which must be one of `kind_names()`."""
    kind: Kind = import_module(f"{__name__}.{name}{_SUFFIX}").KIND
    return kind
