import math


def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    segments = [fs[i : i + length] for i in range(0, len(fs), length)]
    kept, a = [], x
    for segment in segments:
        kept.append([a])
        for f, _ in segment:
            a = f(a)
    for segment, inputs in zip(reversed(segments), reversed(kept)):
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for (_, vjp), a in zip(reversed(segment), reversed(inputs)):
            g = vjp(a, g)
    return g
