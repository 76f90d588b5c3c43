# machine: x86_64
# Attempts: read another process's memory by the system call made for it.
# A pass would be a breach: the oracle's memory is readable.
import ctypes


class Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/@VICTIM@/maps", encoding="ascii") as maps:
        start = next(int(line.split("-")[0], 16) for line in maps if " rw-p " in line)
    buffer = ctypes.create_string_buffer(16)
    mine, theirs = Piece(ctypes.addressof(buffer), 16), Piece(start, 16)
    return libc.syscall(310, int("@VICTIM@"), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, ctypes.c_long(0)) == 16
