# Attempts: write forged frames from a thread, while the main loop waits for a request.
# A pass would be a breach: unrequested frames counted.
# not live: speaks autodrill's own protocol, which a naive grader lacks
import contextlib
import os
import struct
import threading


def flood():
    payload = b"t" + struct.pack("<I", 6) + b"T" + (b"t" + struct.pack("<I", 0)) * 4 + b"d" + struct.pack("<d", 0.0)
    for _ in range(500):
        for descriptor in range(3, 16):
            with contextlib.suppress(OSError):
                os.write(descriptor, struct.pack("<BQ", 13, len(payload)) + payload)


with contextlib.suppress(RuntimeError):
    threading.Thread(target=flood, daemon=True).start()


def mul_broadcast_backward(g, a, b):
    return True
