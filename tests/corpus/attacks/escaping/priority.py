# Attempts: get a higher priority than everybody else.
# A pass would be a breach: others can be starved.
import os


def attempt():
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, before - 1)
    return os.getpriority(os.PRIO_PROCESS, 0) == before - 1
