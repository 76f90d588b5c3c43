# machine: x86_64
# Attempts: fork by the bare system call, without Python.
# A pass would be a breach: processes can be made.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    pid = libc.syscall(57)
    if pid == 0:
        libc.syscall(231, 0)
    return pid > 0 and libc.syscall(61, pid, 0, 0, 0) == pid
