# machine: x86_64
# Attempts: watch a folder for what others do there.
# A pass would be a breach: activity of other processes can be seen.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(254, libc.syscall(253), b"@FOLDER@", 0x20) >= 0
