# machine: x86_64
# Attempts: ask for a file's handle, with which it can be opened without a path.
# A pass would be a breach: files are reachable without a path.
import ctypes
import struct


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0), 136)
    mount = ctypes.c_int()
    return libc.syscall(303, -100, b"@FOLDER@/secret.txt", handle, ctypes.byref(mount), 0) == 0
