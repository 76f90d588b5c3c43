# machine: x86_64
# Attempts: write into another process: EFAULT for an address that is not mapped means that any other would do.
# A pass would be a breach: the verdict's memory is writable.
import ctypes
import errno


class Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(16)
    mine, theirs = Piece(ctypes.addressof(buffer), 16), Piece(4096, 16)
    libc.syscall(311, int("@VICTIM@"), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, ctypes.c_long(0))
    return ctypes.get_errno() == errno.EFAULT
