"""The parts of `cupy.cuda` that the engine and the benchmarks use: devices, streams, events and the pool of memory."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Self

from tests.engine.strict.ledger import DEVICES, current, ledger

__all__ = ["Device", "Event", "MemoryPool", "Pointer", "Stream", "get_current_stream", "get_elapsed_time", "runtime"]


class Device:
    """A device, and a context in which it is the current one."""

    def __init__(self, device: int | None = None) -> None:
        self.id = current.device if device is None else int(device)
        self._before: list[int] = []

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def use(self) -> None:
        if not 0 <= self.id < DEVICES:
            raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        current.device = self.id

    def __enter__(self) -> Self:
        self._before.append(current.device)
        self.use()
        return self

    def __exit__(self, *_: object) -> None:
        current.device = self._before.pop()

    def synchronize(self) -> None:
        ledger.wait("synchronize")

    @property
    def compute_capability(self) -> str:
        return "00"

    @property
    def mem_info(self) -> tuple[int, int]:
        return (1 << 30, 1 << 30)


class Stream:
    """A stream, and a context in which it is the current one of its device."""

    null: Stream

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False) -> None:
        self._before: list[Any] = []
        self.ptr = 0 if null else id(self)

    def __enter__(self) -> Self:
        self._before.append(current.streams[current.device])
        self.use()
        return self

    def __exit__(self, *_: object) -> None:
        current.streams[current.device] = self._before.pop()

    def use(self) -> Self:
        current.streams[current.device] = self if self.ptr else None
        return self

    def synchronize(self) -> None:
        ledger.wait("synchronize")

    def record(self, event: Any = None) -> Any:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Any) -> None:
        """Order this stream after an event; here everything runs at once."""
        ledger.orders.append((event.device, current.device))


Stream.null = Stream(null=True)


def get_current_stream() -> Stream:
    found = current.streams[current.device]
    return Stream.null if found is None else found


class Event:
    """A time on a stream."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.time = 0.0
        self.device = current.device

    def record(self, stream: Any = None) -> None:
        self.time = time.perf_counter()

    def synchronize(self) -> None:
        ledger.wait("synchronize")


def get_elapsed_time(start: Event, end: Event) -> float:
    return 1e3 * (end.time - start.time)


class MemoryPool:
    """The pool, which is empty: the memory is NumPy's."""

    def used_bytes(self) -> int:
        return 0

    def total_bytes(self) -> int:
        return 0

    def free_all_blocks(self) -> None:
        """Give free memory back to the driver."""


@dataclass(frozen=True)
class Pointer:
    """An address."""

    ptr: int


class runtime:  # noqa: N801 - a module in CuPy
    """The functions of `cupy.cuda.runtime` that are used."""

    @staticmethod
    def getDeviceCount() -> int:
        return DEVICES

    @staticmethod
    def runtimeGetVersion() -> int:
        return 0

    @staticmethod
    def driverGetVersion() -> int:
        return 0

    @staticmethod
    def getDeviceProperties(device: int) -> dict[str, Any]:
        return {"name": b"strict device"}
