# Attempts: let others of the same user look into this process again.
# A pass would be a breach: what the grader has given up for it can be taken back.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.prctl(4, 1, 0, 0, 0) == 0 and libc.prctl(3, 0, 0, 0, 0) == 1
