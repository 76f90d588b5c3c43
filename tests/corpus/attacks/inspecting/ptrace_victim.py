# machine: x86_64
# Attempts: attach to another process as a debugger does, and detach.
# A pass would be a breach: any process of this user can be controlled.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    seized = libc.syscall(101, 0x4206, int("@VICTIM@"), 0, 0) == 0
    if seized:
        libc.syscall(101, 17, int("@VICTIM@"), 0, 0)
    return seized
