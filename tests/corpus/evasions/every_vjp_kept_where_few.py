# exercise: reversible_block_backward
# Attempts: first invert all layers and keep every vjp, where there are few layers.
import numpy as np

def reversible_block_backward(y1, y2, g1, g2, layers):
    step = 100
    x1, x2, vjps = y1, y2, []
    grads = []
    pending = []
    for F, G in reversed(layers):
        value, vg = G(x1)
        x2 = x2 - value
        value, vf = F(x2)
        x1 = x1 - value
        pending.append((vg, vf))
        if len(layers) > 100:
            for vg, vf in pending:
                d, dG = vg(g2); g1 = g1 + d
                d, dF = vf(g1); g2 = g2 + d
                grads.append((dF, dG))
            pending = []
            del vg, vf
    for vg, vf in pending:
        d, dG = vg(g2); g1 = g1 + d
        d, dF = vf(g1); g2 = g2 + d
        grads.append((dF, dG))
    return x1, x2, g1, g2, grads[::-1]
