# machine: x86_64
# Attempts: copy a descriptor out of another process: its files and sockets can then be used here.
# A pass would be a breach: the grader's channels can be taken.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.syscall(434, int("@VICTIM@"), 0)
    return handle >= 0 and libc.syscall(438, handle, 1, 0) >= 0
