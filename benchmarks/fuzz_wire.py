"""Coverage-guided fuzzing of what reads a candidate's bytes: `python benchmarks/fuzz_wire.py -max_total_time=600`.

Needs atheris (`pip install atheris`). The tests in `tests/sandbox/child/test_wire.py` run without it. The
first byte of an input chooses the reader. Any input may raise `WireError` and nothing else, and may take no more memory
than a small multiple of its own size.
"""

from __future__ import annotations

import resource
import sys

import atheris
import numpy as np

with atheris.instrument_imports(include=["autodrill.sandbox"]):
    from autodrill.sandbox.child import frames, values, wire
    from autodrill.sandbox.replies import read_call, read_load
    from autodrill.sandbox.reply_form import Form

LIMIT = 1 << 20
FORM = Form([np.zeros(2), np.zeros((), np.float32)])
MEMORY = 512 << 20
"""Bytes this process may hold in all; atheris and NumPy take about 200 MiB of it."""


def one(data: bytes) -> None:
    if not data:
        return
    reader, payload = data[0] % 5, data[1:]
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
            case 3:
                if (arrays := FORM.read(payload)) is not None:
                    read = values.from_wire(wire.decode(payload))
                    assert [a.tobytes() for a in arrays] == [np.asarray(a).tobytes() for a in read[0]]
                    assert read[1] is None
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
