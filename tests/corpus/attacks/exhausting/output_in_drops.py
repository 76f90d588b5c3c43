# Attempts: print a little in every call, for ever.
# A pass would be a breach: output suspends the time limit.
import sys
import time


def attempt():
    started = time.perf_counter()
    while time.perf_counter() - started < 7:
        sys.stdout.write("x")
        sys.stdout.flush()
        time.sleep(0.05)
    return True
