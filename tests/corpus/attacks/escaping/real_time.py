# Attempts: become a real-time process, for which everything else on the core waits.
# A pass would be a breach: other processes can be starved.
import os


def attempt():
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True
