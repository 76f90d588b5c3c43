# machine: x86_64
# Attempts: read the kernel's log.
# A pass would be a breach: what other processes did can be read.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(103, 3, ctypes.create_string_buffer(4096), 4096) > 0
