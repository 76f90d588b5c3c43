# Attempts: list every process of this machine.
# A pass would be a breach: other people's processes can be seen.
import os


def attempt():
    return "@GRADER@" in os.listdir("/proc")
