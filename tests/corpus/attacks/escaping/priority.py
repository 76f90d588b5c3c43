# Attempts: get a higher priority than every other process.
# A pass would be a breach: other processes can be starved.
import os


def attempt():
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, before - 1)
    return os.getpriority(os.PRIO_PROCESS, 0) == before - 1
