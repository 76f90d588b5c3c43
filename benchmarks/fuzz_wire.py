"""Coverage-guided fuzzing of the readers of replies: `python benchmarks/fuzz_wire.py -max_total_time=600`.

Needs atheris (`pip install atheris`). The tests in `tests/sandbox/child/test_wire.py` run without it. The
first byte of an input chooses the reader. A reader may raise `WireError` and nothing else, and the process may hold at
most `MEMORY` bytes.
"""

from __future__ import annotations

import resource
import sys

import atheris

with atheris.instrument_imports(include=["autodrill.sandbox"]):
    from autodrill.sandbox.child import frames, values, wire
    from autodrill.sandbox.requests import read_call, read_load

LIMIT = 1 << 20
MEMORY = 512 << 20
"""Bytes that this process may hold; atheris and NumPy take about 200 MiB of them."""


def one(data: bytes) -> None:
    if not data:
        return
    reader, payload = data[0] % 4, data[1:]
    try:
        match reader:
            case 0:
                values.from_wire(wire.decode(payload))
            case 1:
                if len(payload) >= frames.HEADER_BYTES:
                    kind, length = frames.read_header(payload[: frames.HEADER_BYTES], limit=LIMIT)
                    assert length <= LIMIT
                    read_call(kind, wire.decode(payload[frames.HEADER_BYTES :]), memory=1)
            case 2:
                read_call(frames.FrameKind.RETURNED, wire.decode(payload), memory=1)
            case _:
                for kind in (frames.FrameKind.RAISED, frames.FrameKind.BROKEN, frames.FrameKind.NOT_DEFINED):
                    read_load(kind, wire.decode(payload), memory=1)
    except wire.WireError:
        pass
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    assert held < MEMORY, f"{held >> 20} MiB"


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
