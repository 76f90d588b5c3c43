import math


def run(stages, a):
    for f, _ in stages:
        a = f(a)
    return a


def checkpoint_sqrt_n(fs, x, g):
    size = math.ceil(math.sqrt(len(fs)))
    starts, a = [], x
    for i in range(0, len(fs), size):
        starts.append(a)
        if i + size < len(fs):
            a = run(fs[i : i + size], a)
    del a
    while starts:
        first = (len(starts) - 1) * size
        segment, start = fs[first : first + size], starts.pop()
        half = len(segment) // 2
        for part, skipped in ((segment[half:], half), (segment[:half], 0)):
            inputs = [run(segment[:skipped], start)]
            for f, _ in part[:-1]:
                inputs.append(f(inputs[-1]))
            for _, vjp in reversed(part):
                g = vjp(inputs.pop(), g)
    return g
