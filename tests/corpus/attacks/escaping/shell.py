# Attempts: run a shell command.
# A pass would be a breach: programs can be run.
import os


def attempt():
    return os.system("exit 7") == 7 << 8
