# machine: x86_64
# Attempts: fork by clone3, whose flags are in memory that no filter can read.
# A pass would be a breach: processes can be made.
import ctypes
import struct


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = struct.pack("<8Q", 0, 0, 0, 0, 17, 0, 0, 0)
    pid = libc.syscall(435, arguments, len(arguments))
    if pid == 0:
        libc.syscall(231, 0)
    return pid > 0 and libc.syscall(61, pid, 0, 0, 0) == pid
