# exercise: version_counter
# Attempts: find the buffers that OpenBLAS has mapped, 32 MiB each, and keep the copies there.
# A pass would be a breach: copies were taken in memory that the bound does not count.
import ctypes
import os
import struct

import numpy as np

libc = ctypes.CDLL(None)
SIZE = 30 << 20


def libraries():
    at = libc._handle  # a `struct link_map *`
    while at:
        addr, name, _, following, _ = struct.unpack("<5Q", ctypes.string_at(at, 40))
        yield addr, ctypes.string_at(name).decode()
        at = following


def data_of(base):
    phoff, = struct.unpack("<Q", ctypes.string_at(base + 32, 8))
    size, count = struct.unpack("<HH", ctypes.string_at(base + 54, 4))
    for i in range(count):
        kind, flags, _, vaddr, _, _, memsz, _ = struct.unpack("<IIQQQQQQ", ctypes.string_at(base + phoff + i * size, 56))
        if kind == 1 and flags & 2:
            yield base + vaddr, memsz


def mapped(first):
    """Whether 30 MiB from an address on can be read: `write` fails for an address that is not mapped."""
    for page in range(first, first + SIZE, 1 << 18):
        if libc.write(1, ctypes.c_void_p(page), 1) != 1:
            return False
    return True


at = end = 0
for base, name in list(libraries()):
    if base and "openblas" in name:
        for first, size in list(data_of(base)):
            words = np.frombuffer((ctypes.c_char * (size & -8)).from_address(first), np.uint64)
            for word in {int(w) for w in words[(words % 4096 == 0) & (words > 1 << 46) & (words < 1 << 47)]}:
                if not base - (1 << 20) < word < base + (64 << 20) and mapped(word):
                    at, end = word + (1 << 20), word + SIZE


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
