import math


def run(stages, a):
    for f, _ in stages:
        a = f(a)
    return a


def back(stages, a, g):
    if not stages:
        return g
    (f, vjp), rest = stages[0], stages[1:]
    return vjp(a, back(rest, f(a), g) if rest else g)


def checkpoint_sqrt_n(fs, x, g):
    s = math.isqrt(len(fs) - 1) + 1
    segments = [fs[i : i + s] for i in range(0, len(fs), s)]
    starts = [x]
    for segment in segments[:-1]:
        starts.append(run(segment, starts[-1]))
    while segments:
        g = back(segments.pop(), starts.pop(), g)
    return g
