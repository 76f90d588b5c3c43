# machine: x86_64
# Attempts: change the table of segments, an old door to kernel bugs.
# A pass would be a breach: modify_ldt is open.
import ctypes
import struct


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    entry = struct.pack("<IIII", 0, 0, 0, 0x50)
    return libc.syscall(154, 1, entry, len(entry)) == 0
