"""Views: tensors that share memory, and how each is found again from the tensor it was cut from.

A base knows its living views only weakly, a view holds its base: a view keeps memory alive, never the reverse.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.mode import mode
from autodrill.engine.core.write_versions import owner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.core.tensor import Tensor

__all__ = ["Base", "Step", "View", "mark_siblings", "replay", "track"]

Step = tuple["Primitive", dict[str, Any]]
"""One view operation and its static values."""


class Base:
    """What a tensor with views knows of them."""

    __slots__ = ("_views",)

    def __init__(self) -> None:
        self._views: dict[int, weakref.ref[Tensor]] = {}

    def add(self, view: Tensor) -> None:
        """Remember a view for as long as it lives."""
        key, views = id(view), self._views
        views[key] = weakref.ref(view, lambda _: views.pop(key, None))

    def __iter__(self) -> Iterator[Tensor]:
        found = [reference() for reference in list(self._views.values())]
        return (view for view in found if view is not None)


class View:
    """What a view knows of the tensor it was cut from.

    Attributes:
        base: The tensor that is no view itself.
        steps: The view operations that lead from the base to the view.
        refusal: Why the view cannot be written to while recording, or None.
    """

    __slots__ = ("base", "refusal", "steps")

    def __init__(self, base: Tensor, steps: tuple[Step, ...], refusal: str | None) -> None:
        self.base = base
        self.steps = steps
        self.refusal = refusal


def track(primitive: Primitive, x: Any, static: dict[str, Any], result: Tensor) -> None:
    """Make `result` a view of `x` if the two share memory (a reshape, for one, may have had to copy)."""
    if type(x) is not type(result) or owner(result.data) is not owner(x.data):
        return
    refusal = None if mode.grad_enabled else "inference_mode()" if mode.inference else "no_grad()"
    step = (primitive, static)
    if type(x.alias) is View:
        base, steps, refusal = x.alias.base, (*x.alias.steps, step), x.alias.refusal or refusal
    else:
        base, steps = x, (step,)
    views = base.alias
    if type(views) is not Base:
        views = base.alias = Base()
    result.alias = View(base, steps, refusal)
    views.add(result)


def mark_siblings(views: Sequence[Any]) -> None:
    """Note that these views came from one operation, which forbids writing to any of them while recording."""
    for view in views:
        alias = getattr(view, "alias", None)
        if type(alias) is View:
            alias.refusal = "several"


def replay(x: Any, steps: Sequence[Step]) -> Any:
    """Apply view operations, in order, to a Tensor or an array."""
    for primitive, static in steps:
        x = primitive(x, **static)
    return x
