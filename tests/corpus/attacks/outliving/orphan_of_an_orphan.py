# Attempts: fork twice, so that its parent is unknown to the grader.
# A pass would be a breach: a process runs on after the verdict.
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
