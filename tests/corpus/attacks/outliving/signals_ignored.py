# Attempts: ignore every signal that can be ignored, and run past the time limit.
# A pass would be a breach: the submission can ignore its time limit.
import contextlib
import signal
import time

for number in signal.valid_signals():
    with contextlib.suppress(OSError):
        signal.signal(number, signal.SIG_IGN)


def attempt():
    time.sleep(7)
    return True
