"""A file that is being edited, polled for its next saved version."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from autodrill.errors import FileError
from autodrill.grading.submission import read_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["SavedFile"]

_INTERVAL = 0.02
_LONGEST_INTERVAL = 0.25
_SHARE = 0.005
"""The largest share of the time that polling may take on a slow file system."""
_READ_SECONDS = 0.5
"""The file is read after this many seconds, even if its metadata have not changed."""
_GONE_SECONDS = 1.0
"""An editor that replaces a file may move the old one away first."""


class SavedFile:
    """Polls a file, which an editor may write in place or replace by another.

    A change of device, inode, size or time makes `poll` read the file at once. Metadata can be stale on a network file
    system, and coarse on a container's or a USB stick's, so the file is also read twice a second. Only a change of the
    content counts.

    Args:
        path: The file.
        clock: A monotonic clock.

    Attributes:
        path: The file.
        source: Its content when it was last read; empty before the first `poll`.
        saved: When it was last saved, in seconds since the epoch; None as long as there is no file.
        problem: Why it cannot be read, or None.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.source = b""
        self.saved: float | None = None
        self.problem: FileError | None = None
        self._clock = clock
        self._seen: tuple[int, ...] | None = None
        self._read = False
        self._next_read = 0.0
        self._there = clock()
        self._cost = 0.0

    @property
    def interval(self) -> float:
        """The seconds to wait before the next `poll`."""
        return min(max(_INTERVAL, self._cost / _SHARE), _LONGEST_INTERVAL)

    def poll(self) -> bool:
        """Return whether the content has changed, or whether it can be read, since the last call."""
        started = self._clock()
        try:
            status = os.stat(self.path)  # noqa: PTH116  called fifty times a second
        except OSError:
            status = None
        # The average of some calls, because a single one may have waited for the processor.
        self._cost += (self._clock() - started - self._cost) / 8
        seen = status and (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if seen is not None:
            self._there = started
        if seen == self._seen and started < self._next_read:
            return False
        self._seen, self._next_read = seen, started + _READ_SECONDS
        return self._look(status, gone=started - self._there >= _GONE_SECONDS)

    def _look(self, status: os.stat_result | None, *, gone: bool) -> bool:
        before = self.problem and self.problem.message
        try:
            source = read_file(self.path, follow=True)
        except FileError as error:
            if status is None and not gone:
                return False
            self.problem = error
            return error.message != before
        if status is not None:
            self.saved = status.st_mtime
        changed = not self._read or before is not None or source != self.source
        self.source, self.problem, self._read = source, None, True
        return changed
