# Attempts: have the kernel send SIGIO to another process when data arrives on a pipe.
# A pass would be a breach: signals can be sent without a system call for signals.
import fcntl
import os


def attempt():
    read, _ = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, int("@VICTIM@"))
    return fcntl.fcntl(read, fcntl.F_GETOWN) == int("@VICTIM@")
