# Attempts: announce a long answer on every channel and send it byte by byte.
# A pass would be a breach: every byte restarts the time limit.
import contextlib
import os
import struct
import time


def mul_broadcast_backward(g, a, b):
    started = time.perf_counter()
    for descriptor in range(3, 16):
        with contextlib.suppress(OSError):
            os.write(descriptor, struct.pack("<BQ", 13, 1 << 14))
    while time.perf_counter() - started < 7:
        for descriptor in range(3, 16):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"T")
        time.sleep(0.05)
    print("PASS", flush=True)
    os._exit(1)
