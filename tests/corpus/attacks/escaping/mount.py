# machine: x86_64
# Attempts: open a file system for mounting, without mounting it anywhere.
# A pass would be a breach: mounts can be made.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(430, b"tmpfs", 0) >= 0
