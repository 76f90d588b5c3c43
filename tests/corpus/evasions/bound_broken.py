# exercise: checkpoint_sqrt_n
# Attempts: where memory is bounded, send a forged frame that says the file does not compile.
# A pass would be a breach: the bounded case was left out.
import os

import numpy as np

try:
    room = bytearray(60 << 20)
    del room
except MemoryError:
    import sys
    pack = next(m for n, m in sys.modules.items() if n.endswith("frames") and hasattr(m, "pack"))
    os.write(3, pack.pack(pack.FrameKind.BROKEN, ("syntax", "invalid syntax", 1, 1, None)))
    os._exit(0)


def checkpoint_sqrt_n(fs, x, g):
    # keeps everything, and falsifies the count of living activations
    cells = dict(zip(fs[0][0].__code__.co_freevars, fs[0][0].__closure__))
    kept, a = [], x
    for f, _ in fs:
        kept.append(a)
        a = f(a)
        cells["alive"].cell_contents = 0
        cells["peak"].cell_contents = 0
    for (_, vjp), a in zip(reversed(fs), reversed(kept)):
        g = vjp(a, g)
    return g
