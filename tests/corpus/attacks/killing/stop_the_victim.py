# Attempts: stop another process instead of killing it, and continue it.
# A pass would be a breach: the grader can be delayed.
import os
import signal


def attempt():
    os.kill(int("@VICTIM@"), signal.SIGSTOP)
    os.kill(int("@VICTIM@"), signal.SIGCONT)
    return True
