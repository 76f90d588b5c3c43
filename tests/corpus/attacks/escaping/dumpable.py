# Attempts: let other processes of the same user inspect this one again.
# A pass would be a breach: a right that was given up can be regained.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.prctl(4, 1, 0, 0, 0) == 0 and libc.prctl(3, 0, 0, 0, 0) == 1
