"""Coverage-guided fuzzing of what reads a candidate's bytes: `python benchmarks/fuzz_wire.py -max_total_time=600`.

Needs atheris (`pip install atheris`), beside which the property tests of `tests/grading/test_wire.py` are for every
day. The first byte chooses the reader; whatever follows, it may raise WireError and nothing else, and may not take more
memory than a small multiple of what it was given.
"""

from __future__ import annotations

import resource
import sys

import atheris
import numpy as np

with atheris.instrument_imports(include=["autodrill.grading"]):
    from autodrill.grading.answer import read_call, read_load
    from autodrill.grading.child import frames, values, wire
    from autodrill.grading.form import Form

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
                read_call(frames.Kind.RETURNED, wire.decode(payload), memory=1)
            case 3:
                if (arrays := FORM.read(payload)) is not None:
                    read = values.from_wire(wire.decode(payload))
                    assert [a.tobytes() for a in arrays] == [np.asarray(a).tobytes() for a in read[0]]
                    assert read[1] is None
            case _:
                for kind in (frames.Kind.RAISED, frames.Kind.BROKEN, frames.Kind.NOT_DEFINED):
                    read_load(kind, wire.decode(payload), memory=1)
    except wire.WireError:
        pass
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    assert held < MEMORY, f"{held >> 20} MiB"


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
