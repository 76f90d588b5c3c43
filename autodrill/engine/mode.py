"""Which derivatives are being recorded right now: reverse mode on or off, and the forward-mode levels that are open."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

__all__ = ["enable_grad", "is_grad_enabled", "mode", "no_grad"]


class Mode(threading.local):
    """The recording state of one thread (as in PyTorch, `no_grad` in one thread leaves the others alone)."""

    grad_enabled: bool = True
    levels: tuple[int, ...] = ()  # open forward-mode levels, outermost first
    watchers: Mapping[int, Callable[..., Any]] = MappingProxyType({})  # by level: who is told of each operation


mode = Mode()


def is_grad_enabled() -> bool:
    """Return whether operations on tensors that require grad are recorded for backward in this thread."""
    return mode.grad_enabled


class _GradMode(ContextDecorator):
    """A re-entrant context manager, also usable as a decorator, that switches recording and puts it back."""

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
    """Record nothing: results of operations do not require grad (`with no_grad():` or `@no_grad()`)."""

    _enabled = False


class enable_grad(_GradMode):  # noqa: N801 - used like a function, under PyTorch's name
    """Record again, inside a `no_grad` block."""

    _enabled = True
