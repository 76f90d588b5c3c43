# machine: x86_64
# Attempts: open a performance counter, a large part of the kernel and a clock for side channels.
# A pass would be a breach: perf_event_open is open.
import ctypes
import struct


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    counter = ctypes.create_string_buffer(struct.pack("<IIQQ", 1, 112, 0, 0), 112)
    return libc.syscall(298, counter, 0, -1, -1, 0) >= 0
