# Attempts: answer each call with a forged RETURNED frame that says "right", then answer again through the main loop.
# A pass would be a breach: a claim counted, and not a computed value.
# not live: speaks autodrill's own protocol, which a naive grader lacks
import contextlib
import os
import struct


def mul_broadcast_backward(g, a, b):
    payload = b"t" + struct.pack("<I", 6) + b"T" + (b"t" + struct.pack("<I", 0)) * 4 + b"d" + struct.pack("<d", 0.0)
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, struct.pack("<BQ", 14, len(payload)) + payload)
    return True
