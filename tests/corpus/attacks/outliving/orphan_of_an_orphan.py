# Attempts: fork twice, so that nobody who is known is its parent.
# A pass would be a breach: something runs on when the verdict is long given.
import os
import time


def attempt():
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(20)
        os._exit(0)
    os.waitpid(child, 0)
    return True
