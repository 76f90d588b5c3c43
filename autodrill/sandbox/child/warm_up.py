"""A warm-up of the fork server: it answers calls of a file of its own, so that forks find caches filled.

Forks then take about 5 % less processor time for a submission with 40 cases.
"""

from __future__ import annotations

import linecache
import sys

from . import frames, values, wire
from .frames import FrameKind
from .main_loop import Hooks, LoadedSubmission, plain_call

__all__ = ["warm_up"]

_ROUNDS = 8  # the interpreter specialises a function after a few calls

_SOURCE = b"""
import numpy as np


def warm_up(a, b, number):
    return np.sum(a * b + number, axis=0), np.where(a > 0, a, 0), a.T @ b
"""


def warm_up() -> None:
    """Load the file, make calls with each dtype and layout, and encode the results."""
    import numpy as np

    filename = "<warm-up>"
    submission = LoadedSubmission(
        (_SOURCE, filename, "warm_up", False, 1.0), None, Hooks(plain_call, plain_call, lambda: None)
    )
    kind, _ = submission.load()
    assert kind is FrameKind.LOADED
    arrays = [np.ones((2, 3), dtype) for dtype in ("float64", "float32")]
    own, places = values.calls_to_wire([[values.Arg(a, layout), a, 0.5] for a in arrays for layout in wire.Layout])
    specs = [frames.CallSpec(each, checksum=checksum) for each in places for checksum in (0, None)]
    frame = frames.pack_call(own, specs, 1 << 20, 1.0)
    for _ in range(_ROUNDS):
        for kind, reply in submission.calls(*frames.unpack_call(frame[frames.HEADER_BYTES :])[:3]):
            assert kind is FrameKind.RETURNED
            frames.pack(kind, reply)
    del sys.modules[submission.module.__name__]
    linecache.cache.pop(filename, None)
