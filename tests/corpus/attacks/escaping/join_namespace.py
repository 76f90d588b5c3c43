# machine: x86_64
# Attempts: join the namespace of another process by its handle.
# A pass would be a breach: the grader's view can be entered.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(308, libc.syscall(434, int("@VICTIM@"), 0), 0x04000000) == 0
