# machine: x86_64
# Attempts: make a network of its own.
# A pass would be a breach: namespaces can be made.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(272, 0x40000000) == 0
