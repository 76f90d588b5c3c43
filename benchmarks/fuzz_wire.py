"""Coverage-guided fuzzing of the functions that read replies. Run `python benchmarks/fuzz_wire.py -max_total_time=600`.

It needs atheris (`pip install atheris`); the tests in `tests/sandbox/child/test_wire.py` do not. The first byte of an
input selects the reader. A reader may only raise `WireError`, and the process may use at most `MEMORY` bytes.
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
"""The bytes that this process may use. About 200 MiB of them are for atheris and NumPy."""


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
