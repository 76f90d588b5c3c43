# machine: x86_64
# Attempts: compare kernel objects with the grader's, which tells their order in kernel memory.
# A pass would be a breach: the grader can be inspected.
import ctypes
import os


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(312, os.getpid(), int("@VICTIM@"), 1, 0, 0) >= 0
