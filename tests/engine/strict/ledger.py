"""What the strict device counts: synchronisations, transfers and launches, and on which device and stream."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DEVICES", "Ledger", "current", "ledger", "on_device", "synchronisations"]

DEVICES = 2
"""The strict device has two devices, so that mixing them can be tried."""

_HERE = str(Path(__file__).parent)


@dataclass
class Current:
    """The current device, and the current stream of each."""

    device: int = 0
    streams: list[Any] = field(default_factory=lambda: [None] * DEVICES)


current = Current()


@dataclass
class Ledger:
    """Counts since the last `clear`.

    Attributes:
        waits: What made the host wait for the device, one word each, with the line of the engine.
        uploads: The number of arrays copied from the host.
        launches: The number of functions called on arrays, by device.
        streams: The streams other than the default on which something was launched.
        orders: The pairs of devices of which the second waited for an event of the first.
    """

    waits: list[str] = field(default_factory=list)
    uploads: int = 0
    launches: list[int] = field(default_factory=lambda: [0] * DEVICES)
    streams: set[Any] = field(default_factory=set)
    orders: list[tuple[int, int]] = field(default_factory=list)

    def wait(self, what: str) -> None:
        """Count one synchronisation."""
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
            frame = frame.f_back
        self.waits.append(f"{what} at {Path(frame.f_code.co_filename).name}:{frame.f_lineno}")

    def launch(self) -> None:
        """Count one call on the current device and stream."""
        self.launches[current.device] += 1
        stream = current.streams[current.device]
        if stream is not None:
            self.streams.add(stream)

    def clear(self) -> None:
        """Start again from nothing."""
        self.waits.clear()
        self.streams.clear()
        self.orders.clear()
        self.uploads = 0
        self.launches[:] = [0] * DEVICES


ledger = Ledger()


@contextmanager
def synchronisations() -> Iterator[list[str]]:
    """Collect the synchronisations of a block."""
    before = len(ledger.waits)
    found: list[str] = []
    try:
        yield found
    finally:
        found.extend(ledger.waits[before:])


@contextmanager
def on_device(index: int) -> Iterator[None]:
    """Make a device the current one."""
    if not 0 <= index < DEVICES:
        raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
    before, current.device = current.device, index
    try:
        yield
    finally:
        current.device = before
