# machine: x86_64
# Attempts: the same without /proc: an address that is not mapped gives EFAULT where the right to read is there.
# A pass would be a breach: only the address is missing to read the oracle's memory.
import ctypes
import errno


class Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(16)
    mine, theirs = Piece(ctypes.addressof(buffer), 16), Piece(4096, 16)
    libc.syscall(310, int("@GRADER@"), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, ctypes.c_long(0))
    return ctypes.get_errno() == errno.EFAULT
