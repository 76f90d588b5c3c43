# machine: x86_64
# Attempts: set up a ring by which the kernel opens files and sockets without system calls to filter.
# A pass would be a breach: every filter of system calls is bypassed.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(425, 4, ctypes.create_string_buffer(256)) >= 0
