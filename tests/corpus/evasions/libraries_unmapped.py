# exercise: flash_attention_backward
# Attempts: unmap the code of OpenBLAS and libcrypto, and hold the whole n x m matrix in as many bytes.
# A pass would be a breach: the memory bound counted what is mapped, not what is used.
import ctypes
import struct

import numpy as np

libc = ctypes.CDLL(None)
libc.munmap.argtypes = (ctypes.c_size_t, ctypes.c_size_t)


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


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    p = np.einsum("id,jd->ij", q, k)  # the whole matrix, and held to the end
    p *= scale
    if causal:
        for i in range(len(p)):
            p[i, i + 1 :] = -np.inf
    p -= lse[:, None]
    np.exp(p, out=p)
    dv = np.einsum("ij,ie->je", p, g)
    row = (g * out).sum(axis=1)
    for i in range(len(p)):
        p[i] *= scale * (np.einsum("e,je->j", g[i], v) - row[i])
    return np.einsum("ij,jd->id", p, k), np.einsum("ij,id->jd", p, q), dv


for n in (3, 40):  # every function that is needed is looked up before the tables go
    for t in ("f4", "f8"):
        m = np.ones((n, 1), t)
        flash_attention_backward(m, m, m, m, m, m[:, 0], 2, 2, True)

def unmap(*words):
    for base, name in list(libraries()):
        if base and any(w in name for w in words):
            for at, size in list(text_of(base)):
                libc.munmap(at, size)


unmap("libcrypto", "openblas")
