# Attempts: learn by signal 0 which processes run.
# A pass would be a breach: what else runs on this machine can be seen.
import os


def attempt():
    os.kill(int("@VICTIM@"), 0)
    return True
