import numpy as np


def checkpoint_sqrt_n(fs, x, g):
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % 2 == 0:
            kept.append(np.array(a))
        a = f(a)
    del a
    for start in range(len(kept) * 2 - 2, -1, -2):
        pair, inputs = fs[start : start + 2], [kept.pop()]
        if len(pair) == 2:
            inputs.append(pair[0][0](inputs[0]))
        for _, vjp in reversed(pair):
            g = vjp(inputs.pop(), g)
    return g
