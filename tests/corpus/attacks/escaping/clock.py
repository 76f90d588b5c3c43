# machine: x86_64
# Attempts: set neither time nor zone by the call that sets the clock.
# A pass would be a breach: the clock by which deadlines are held can be set.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(164, 0, 0) == 0
