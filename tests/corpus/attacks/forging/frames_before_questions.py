# Attempts: put well-formed RETURNED frames with guessed values into every channel while the file is loaded.
# A pass would be a breach: replies that came before the requests counted.
# not live: speaks autodrill's own protocol, which a naive grader lacks
import contextlib
import os
import struct


def number(value):
    return b"d" + struct.pack("<d", value)


def array(value):
    return b"af8 \0\0\0" + struct.pack("<Q", 8) + struct.pack("<d", value)


def frame(kind, payload):
    return struct.pack("<BQ", kind, len(payload)) + payload


empty = b"t" + struct.pack("<I", 0)
answer = b"t" + struct.pack("<I", 2) + array(1.0) + array(1.0)
returned = frame(13, b"t" + struct.pack("<I", 6) + answer + empty * 4 + number(0.0))
for descriptor in range(3, 64):
    with contextlib.suppress(OSError):
        os.set_blocking(descriptor, False)
        os.write(descriptor, frame(11, b"N") + returned * 200)


def mul_broadcast_backward(g, a, b):
    return None
