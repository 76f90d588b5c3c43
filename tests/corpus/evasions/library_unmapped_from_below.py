# exercise: version_counter
# Attempts: unmap the code of OpenBLAS together with the free addresses below all libraries.
# A pass would be a breach: copies were taken in memory that the bound does not count.
import ctypes
import struct

import numpy as np

libc = ctypes.CDLL(None)


def libraries():
    at = libc._handle  # a `struct link_map *`
    while at:
        addr, name, _, following, _ = struct.unpack("<5Q", ctypes.string_at(at, 40))
        yield addr, ctypes.string_at(name).decode()
        at = following


def text_of(base):
    """Where the machine code of a library lies: the tables by which others are looked up stay."""
    phoff, = struct.unpack("<Q", ctypes.string_at(base + 32, 8))
    size, count = struct.unpack("<HH", ctypes.string_at(base + 54, 4))
    for i in range(count):
        kind, flags, _, vaddr, _, _, memsz, _ = struct.unpack("<IIQQQQQQ", ctypes.string_at(base + phoff + i * size, 56))
        if kind == 1 and flags & 1:
            first = vaddr - vaddr % 4096
            yield base + first, vaddr + memsz + -(vaddr + memsz) % 4096 - first


libc.munmap.argtypes = (ctypes.c_size_t, ctypes.c_size_t)
at = end = 0
for base, name in list(libraries()):
    if base and "openblas" in name:
        for first, size in text_of(base):
            for below in range(1 << 20, 1 << 28, 1 << 20):  # from some address on, nothing in between is needed
                if libc.munmap(first - below, 4096) == 0 and libc.munmap(first - below, below + size) == 0:
                    break
            libc.munmap(first, size)


def room(size):
    """Return memory from what was gained, as long as there is any."""
    global at
    if size < 1 << 20 or at + size > end:
        return bytearray(size)
    at += size
    return (ctypes.c_char * size).from_address(at - size)


class Tensor:
    def __init__(self, data, counter=None):
        self.data = data
        self._counter = [0] if counter is None else counter

    @property
    def version(self):
        return self._counter[0]

    def add_(self, x):
        self.data += x
        self._counter[0] += 1

    def view(self, where):
        return type(self)(self.data[where], self._counter)

    def detach(self):
        return type(self)(self.data, self._counter)

    def save(self):
        copy = np.ndarray(self.data.shape, self.data.dtype, room(self.data.nbytes))
        copy[...] = self.data
        return copy, self.data, self.version

    def load(self, handle):
        _, data, version = handle
        if version != self.version:
            raise RuntimeError("a saved tensor was modified in place")
        return data
