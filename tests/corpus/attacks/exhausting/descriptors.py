# Attempts: open five hundred descriptors.
# A pass would be a breach: the table of open files can be filled.
import os


def attempt():
    return len([os.dup(1) for _ in range(500)]) == 500
