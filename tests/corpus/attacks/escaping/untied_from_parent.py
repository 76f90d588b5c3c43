# Attempts: undo that the process dies with its parent.
# A pass would be a breach: it can outlive the grader.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    signal = ctypes.c_int(-1)
    return libc.prctl(1, 0, 0, 0, 0) == 0 and libc.prctl(2, ctypes.byref(signal), 0, 0, 0) == 0 and signal.value == 0
