# machine: x86_64
# Attempts: open a file by the oldest call, `open`, which libc no longer uses.
# A pass would be a breach: files of this machine are readable.
import ctypes


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(2, b"@FOLDER@/secret.txt", 0, 0)
    buffer = ctypes.create_string_buffer(11)
    return descriptor >= 0 and libc.read(descriptor, buffer, 11) == 11 and buffer.raw == b"open sesame"
