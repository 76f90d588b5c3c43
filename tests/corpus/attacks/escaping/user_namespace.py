# machine: x86_64
# Attempts: become root of a namespace of its own, where most of the kernel's interfaces open up.
# A pass would be a breach: the usual first step of kernel exploits is there.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(272, 0x10000000) == 0
