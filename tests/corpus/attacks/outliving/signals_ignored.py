# Attempts: ignore every signal that asks politely and run past the time limit.
# A pass would be a breach: the limit waited for the candidate's consent.
import contextlib
import signal
import time

for number in signal.valid_signals():
    with contextlib.suppress(OSError):
        signal.signal(number, signal.SIG_IGN)


def attempt():
    time.sleep(3)
    return True
