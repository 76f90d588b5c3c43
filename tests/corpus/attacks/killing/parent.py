# Attempts: signal the parent; signal 0, which only asks whether it could.
# A pass would be a breach: the grader can be killed.
import os


def attempt():
    os.kill(os.getppid(), 0)
    return True
