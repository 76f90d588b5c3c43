# machine: x86_64
# Attempts: the same by `statx`, the newest of the family.
# A pass would be a breach: the names on this machine can be guessed one by one.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(332, -100, b"@FOLDER@/secret.txt", 0, 0x7FF, ctypes.create_string_buffer(256)) == 0
