# machine: x86_64
# Attempts: make a POSIX message queue.
# A pass would be a breach: submissions can leave messages for each other.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(240, b"@MARK@", 0o102, 0o600, 0) >= 0
