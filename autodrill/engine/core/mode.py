"""The recording state of a thread: reverse mode on or off, the open forward-mode levels and the open uses of `vmap`."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from autodrill.engine.core.node import GraphNode, Node
    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.core.tensor import Tensor
    from autodrill.engine.transforms.batched_array import Level

    Observer = Callable[[Primitive, tuple[Any, ...], Tensor], None]
    Packer = tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]
    Pusher = Callable[[Primitive, Sequence[Any], dict[str, Any], Tensor], None]
    GradientCheck = Callable[[Node, int, Any, Any, Sequence[GraphNode]], None]

__all__ = ["enable_grad", "is_grad_enabled", "mode", "no_grad", "observed_by", "set_grad_enabled"]


class Mode(threading.local):
    """The recording state of one thread; as in PyTorch, `no_grad` does not affect other threads."""

    grad_enabled: bool = True
    levels: tuple[int, ...] = ()  # open forward-mode levels, outermost first
    push: Pusher | None = None  # while a level is open: computes the tangents of a result
    vmaps: tuple[Level, ...] = ()  # open uses of vmap, outermost first
    opened: list[Level] | None = None  # the uses of vmap opened inside the current checkpoint
    reopened: Iterator[Level] | None = None  # the same uses, when the checkpoint runs again
    inference: bool = False
    observers: tuple[Observer, ...] = ()  # called after each operation on Tensors: (primitive, inputs, result)
    check_gradient: GradientCheck | None = None  # looks for NaN: (node, index of the parent, gradient, g, order)
    packer: Packer | None = None  # pack and unpack of the innermost checkpoint


mode = Mode()


def is_grad_enabled() -> bool:
    """Return whether operations on tensors that require grad are recorded for backward in this thread.

    Example:
        >>> with engine.no_grad():
        ...     engine.is_grad_enabled()
        False
    """
    return mode.grad_enabled


class _GradMode(ContextDecorator):
    """A re-entrant context manager and decorator that switches recording and restores it."""

    _enabled: bool

    def __init__(self) -> None:
        self._previous: list[bool] = []

    def __enter__(self) -> None:
        self._previous.append(mode.grad_enabled)
        mode.grad_enabled = self._enabled

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        mode.grad_enabled = self._previous.pop()


class no_grad(_GradMode):  # noqa: N801 - used like a function, under PyTorch's name
    """Switch recording off: results of operations do not require grad (`with no_grad():` or `@no_grad()`).

    Example:
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> with engine.no_grad():
        ...     y = x * x
        >>> y.requires_grad
        False
    """

    _enabled = False


class enable_grad(_GradMode):  # noqa: N801 - used like a function, under PyTorch's name
    """Switch recording of operations on again, inside a `no_grad` block.

    Example:
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> with engine.no_grad(), engine.enable_grad():
        ...     y = x * x
        >>> y.requires_grad
        True
    """

    _enabled = True


class set_grad_enabled:  # noqa: N801 - used like a function, under PyTorch's name
    """Switch recording on or off immediately; a `with` block restores the previous state at its end.

    Args:
        enabled: Whether operations are recorded from now on.

    Example:
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> with engine.set_grad_enabled(False):
        ...     y = x * x
        >>> y.requires_grad
        False
    """

    def __init__(self, enabled: bool) -> None:
        self._before = mode.grad_enabled
        mode.grad_enabled = bool(enabled)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        mode.grad_enabled = self._before


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Call `observer` after each operation on Tensors of this thread, inside a `with` block.

    The observer of the innermost block is called first.
    """
    before = mode.observers
    mode.observers = (observer, *before)
    try:
        yield
    finally:
        mode.observers = before
