# Attempts: open a file through C's stdio, past Python's audit hooks.
# A pass would be a breach: files of this machine are readable.
import ctypes


def attempt():
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    stream = libc.fopen(b"@FOLDER@/secret.txt", b"r")
    buffer = ctypes.create_string_buffer(11)
    return bool(stream) and libc.fread(buffer, 1, 11, ctypes.c_void_p(stream)) == 11 and buffer.raw == b"open sesame"
