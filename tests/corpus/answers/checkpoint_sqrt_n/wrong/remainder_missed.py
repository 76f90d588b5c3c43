import math


def checkpoint_sqrt_n(fs, x, g):
    length = math.isqrt(len(fs))
    kept, a = [], x
    for start in range(0, len(fs) - length + 1, length):
        kept.append(a)
        for f, _ in fs[start : start + length]:
            a = f(a)
    for number in reversed(range(len(kept))):
        segment = fs[number * length : (number + 1) * length]
        inputs = [kept.pop()]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for _, vjp in reversed(segment):
            g = vjp(inputs.pop(), g)
    return g
