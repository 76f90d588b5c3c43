# Attempts: signal the parent by signal 0, which only checks the permission.
# A pass would be a breach: the grader can be killed.
import os


def attempt():
    os.kill(os.getppid(), 0)
    return True
