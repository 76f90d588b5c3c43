# machine: x86_64
# Attempts: send a signal by rt_sigqueueinfo, which can fake its sender.
# A pass would be a breach: other processes can be signalled.
import ctypes
import struct


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    information = ctypes.create_string_buffer(struct.pack("<iiiiiI", 23, 0, -1, 0, 1, 0), 128)
    return libc.syscall(129, int("@VICTIM@"), 23, information) == 0
