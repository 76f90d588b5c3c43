# machine: x86_64
# Attempts: ask to be traced, which changes how its own signals reach the grader.
# A pass would be a breach: ptrace is open.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    pid = libc.syscall(57)
    if pid == 0:
        libc.syscall(231, 0 if libc.syscall(101, 0, 0, 0, 0) == 0 else 1)
    status = ctypes.c_int(-1)
    return pid > 0 and libc.syscall(61, pid, ctypes.byref(status), 0, 0) == pid and status.value == 0
