# Attempts: race the harness: a thread writes forged frames while the main thread waits to be asked.
# A pass would be a breach: frames nobody asked for counted.
# not live: speaks autodrill's own protocol, which a naive grader has not
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
