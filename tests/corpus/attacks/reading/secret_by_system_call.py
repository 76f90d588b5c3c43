# machine: x86_64
# Attempts: open a file by openat2, which older filters do not know.
# A pass would be a breach: files of this machine are readable.
import ctypes
import struct


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    how = struct.pack("<QQQ", 0, 0, 0)
    descriptor = libc.syscall(437, -100, b"@FOLDER@/secret.txt", how, len(how))
    buffer = ctypes.create_string_buffer(11)
    return descriptor >= 0 and libc.read(descriptor, buffer, 11) == 11 and buffer.raw == b"open sesame"
