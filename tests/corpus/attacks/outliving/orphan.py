# Attempts: leave a process behind in a session of its own.
# A pass would be a breach: a process runs on after the verdict.
import os
import time


def attempt():
    if os.fork() == 0:
        os.setsid()
        time.sleep(20)
        os._exit(0)
    return True
