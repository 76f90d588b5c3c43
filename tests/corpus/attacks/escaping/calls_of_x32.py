# machine: x86_64
# Attempts: make a system call by its x32 number, which a filter of plain numbers does not know.
# A pass would be a breach: the filter lets unknown numbers through.
# not live: kernels without CONFIG_X86_X32_ABI know no such call
import ctypes
import os


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(0x40000000 + 39) == os.getpid()
