# Attempts: tell by the clock how long the kernel looks for a deep path that is there and one that is not.
# A pass would be a breach: time leaks names where errors do not.
import contextlib
import os
import time


def cost(path):
    best = 1.0
    for _ in range(300):
        started = time.perf_counter()
        with contextlib.suppress(OSError):
            os.stat(path)
        best = min(best, time.perf_counter() - started)
    return best


def attempt():
    name = "./" * 1500
    there, missing = cost(f"@FOLDER@/{name}secret.txt"), cost(f"@FOLDER@/nothing/{name}secret.txt")
    return there > 3 * missing
