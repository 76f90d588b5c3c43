import math


def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    del a
    for start in range(len(kept) * length - length, -1, -length):
        segment = fs[start : start + length]
        inputs = [kept.pop()]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        upstream = g
        for _, vjp in reversed(segment):
            upstream = vjp(inputs.pop(), upstream)
    return upstream
