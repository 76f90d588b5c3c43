"""The kinds of exercises, one module each. The module's name is what an exercise's header says in `kind`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodrill.drills.kind import Kind

__all__ = ["kind_named", "kind_names"]


@cache
def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds in alphabetical order; none of their modules is imported."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


@cache
def kind_named(name: str) -> Kind:
    """Return a kind by its name, one of `kind_names()`."""
    kind: Kind = import_module(f"{__name__}.{name}").KIND
    return kind
