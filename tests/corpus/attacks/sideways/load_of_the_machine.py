# Attempts: read the machine's load, which tells when others are graded.
# A pass would be a breach: activity of others can be seen.
import os


def attempt():
    with open("/proc/stat", encoding="ascii") as stat:
        return stat.read().startswith("cpu") and len(os.sched_getaffinity(int("@VICTIM@"))) > 0
