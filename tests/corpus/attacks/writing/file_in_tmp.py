# Attempts: leave a file in /tmp.
# A pass would be a breach: something of the submission stays on the machine.
import os


def attempt():
    return os.open("/tmp/@MARK@", os.O_CREAT | os.O_EXCL | os.O_WRONLY) >= 0
