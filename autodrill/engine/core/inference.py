"""`inference_mode`: recording is off, and tensors made inside can never take part in a gradient."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.aliasing import is_inference, mark_inference, owner
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import Node
from autodrill.engine.core.tensor import Tensor

if TYPE_CHECKING:
    from types import TracebackType

    from autodrill.engine.core.primitive import Primitive

__all__ = ["inference_mode"]


def _mark(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:  # noqa: ARG001 - an observer
    holder = owner(result.data)
    if not any(type(a) is Tensor and owner(a.data) is holder for a in args):  # a view shares its base's mark
        mark_inference(result.data)


def _refuse(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:
    node = result.node
    if not isinstance(node, Node) or not any(
        is_inference(value) for value in node.saved or () if type(value) is type(result.data)
    ):
        return
    names = [name for name, a in zip(primitive.inputs, args, strict=False) if type(a) is Tensor and a.is_inference]
    raise RuntimeError(
        f"`{primitive.name}` would save `{', '.join(names)}` for backward, a tensor made under `inference_mode()`; "
        "`.clone()` it outside, or use `no_grad()` instead if its results are to be differentiated"
    )


class inference_mode(ContextDecorator):  # noqa: N801 - used like a function, under PyTorch's name
    """Record nothing; a tensor made inside cannot be saved for backward or, outside, be written to in place.

    Once a thread has entered its first block, every operation of that thread is checked.

    Raises:
        RuntimeError: Outside, an operation would save such a tensor for backward, or write to it.

    Example:
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> with engine.inference_mode():
        ...     y = x * x
        >>> y.requires_grad
        False
    """

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool, tuple[Any, ...]]] = []

    def __enter__(self) -> None:
        self._before.append((mode.grad_enabled, mode.inference, mode.observers))
        mode.grad_enabled, mode.inference = False, True
        mode.observers = (*(o for o in mode.observers if o is not _refuse), _mark)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        mode.grad_enabled, mode.inference, observers = self._before.pop()
        # In front, because a hook that packs the saved values would hide them.
        mode.observers = observers if _refuse in observers or mode.inference else (_refuse, *observers)
