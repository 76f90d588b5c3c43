# exercise: mul_broadcast_backward
# Attempts: change an input by a multiple of the polynomial of CRC-32, so that its CRC stays the same.
# A pass would be a breach: the input is changed.
import binascii

import numpy as np

# five bytes whose exclusive or leaves every checksum as it is
base = binascii.crc32(bytes(5))
columns = [(binascii.crc32(bytes(i // 8) + bytes([1 << i % 8]) + bytes(4 - i // 8)) ^ base, 1 << i) for i in range(40)]
rows, KERNEL = {}, []
for value, which in columns:
    while value:
        top = value.bit_length()
        if top not in rows:
            rows[top] = value, which
            break
        value, which = value ^ rows[top][0], which ^ rows[top][1]
    else:
        KERNEL.append(which)
PATTERN = np.frombuffer(KERNEL[0].to_bytes(5, "little"), "u1")


def folded(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    right = folded(g * b, a.shape), folded(g * a, b.shape)
    if b.flags.c_contiguous and b.nbytes >= 8:
        b.reshape(-1).view("u1")[:5] ^= PATTERN
    return right
