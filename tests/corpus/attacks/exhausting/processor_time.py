# Attempts: compute for longer than a call may take, then answer.
# A pass would be a breach: the time limit does not hold.
import time


def attempt():
    started = time.process_time()
    while time.process_time() - started < 7:
        pass
    return True
