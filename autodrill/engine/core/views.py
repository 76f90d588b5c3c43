"""Views: tensors that share the memory of a base, and the operations that lead from the base to each view.

A base refers to its views weakly, and a view refers to its base strongly: a view keeps the memory alive, as in NumPy.
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
"""A view operation and its static values."""


class Base:
    """The views of a tensor, held by weak references."""

    __slots__ = ("_views",)

    def __init__(self) -> None:
        self._views: dict[int, weakref.ref[Tensor]] = {}

    def add(self, view: Tensor) -> None:
        """Add a view until it is deleted."""
        key, views = id(view), self._views
        views[key] = weakref.ref(view, lambda _: views.pop(key, None))

    def __iter__(self) -> Iterator[Tensor]:
        found = [reference() for reference in list(self._views.values())]
        return (view for view in found if view is not None)


class View:
    """The origin of a view.

    Attributes:
        base: The tensor whose memory is shared, itself not a view.
        steps: The view operations that lead from the base to the view.
        refusal: Why the view cannot be written to while recording, or None.
    """

    __slots__ = ("base", "refusal", "steps")

    def __init__(self, base: Tensor, steps: tuple[Step, ...], refusal: str | None) -> None:
        self.base = base
        self.steps = steps
        self.refusal = refusal


def track(primitive: Primitive, x: Any, static: dict[str, Any], result: Tensor) -> None:
    """Mark `result` as a view of `x` if they share memory; a reshape, for instance, may have had to copy."""
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
    """Mark views that one operation made together; none of them may be written to while recording."""
    for view in views:
        alias = getattr(view, "alias", None)
        if type(alias) is View:
            alias.refusal = "several"


def replay(x: Any, steps: Sequence[Step]) -> Any:
    """Apply view operations, in order, to a Tensor or an array."""
    for primitive, static in steps:
        x = primitive(x, **static)
    return x
