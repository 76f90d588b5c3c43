# Attempts: have the kernel send SIGIO to another process when data arrives on a pipe.
# A pass would be a breach: signals are sent without a call that is named after it.
import fcntl
import os


def attempt():
    read, _ = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, int("@VICTIM@"))
    return fcntl.fcntl(read, fcntl.F_GETOWN) == int("@VICTIM@")
