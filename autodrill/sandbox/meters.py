"""What a child process uses, measured from outside it, so that it cannot falsify the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.sandbox.child_process import ChildProcess

__all__ = ["FREE_SECONDS", "MemoryWatch", "Meter", "ProcessorBudget"]

FREE_SECONDS = 0.3
"""Processor time that every request may take. Only a request that takes more needs to know its limit."""

_BUFFERS = 4 << 20
"""Bytes that an honest matrix product may write in buffers that the BLAS has mapped before."""


class Meter(Protocol):
    """A process, or the processes of several ranks."""

    def processor_time(self) -> float:
        """Return the seconds of processor time used, from a start that is the same in each call."""
        ...


class ProcessorBudget:
    """The processor time that a child process may use from now on, read from outside the process.

    Args:
        child: The process, or processes.
        allowed: Returns the limit in seconds, given the seconds used so far. It is called only when the limit that it
            returned last, at first `FREE_SECONDS`, is used up. A higher limit may take longer to find.

    Attributes:
        limit: The limit in seconds that is known so far.
    """

    def __init__(self, child: Meter, allowed: Callable[[float], float]) -> None:
        self._child = child
        self._allowed = allowed
        self._started = child.processor_time()
        self.limit = FREE_SECONDS

    def left(self) -> float:
        """Return the seconds left; negative if the process has used more than it may."""
        used = self._child.processor_time() - self._started
        if used >= self.limit:
            self.limit = max(self.limit, self._allowed(used))
        return self.limit - used


class MemoryWatch:
    """The memory that a child process holds in addition to what it holds now.

    The address space limits what is mapped later. The process can also write where nothing was written so far, in the
    64 MiB of buffers that the BLAS has mapped in advance.

    Args:
        child: The process, before it is sent a submission.
        memory: Bytes of address space that it may add.
    """

    def __init__(self, child: ChildProcess, memory: int) -> None:
        self._child = child
        self._most = child.anonymous_bytes() + memory + _BUFFERS

    def exceeded(self) -> bool:
        """Whether it holds more now."""
        return self._child.anonymous_bytes() > self._most
