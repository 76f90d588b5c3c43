# Attempts: announce an answer of 16 EiB and start sending it.
# A pass would be a breach, and so would be an allocation of the announced size.
import contextlib
import os
import struct


def mul_broadcast_backward(g, a, b):
    for descriptor in range(3, 16):
        with contextlib.suppress(OSError):
            os.set_blocking(descriptor, False)
            os.write(descriptor, struct.pack("<BQ", 13, 2**64 - 1) + bytes(60_000))
    print("PASS", flush=True)
    os._exit(1)
