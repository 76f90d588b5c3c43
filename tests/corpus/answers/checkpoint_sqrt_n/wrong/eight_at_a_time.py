def checkpoint_sqrt_n(fs, x, g):
    size = 8
    segments = [fs[i : i + size] for i in range(0, len(fs), size)]
    starts = [x]
    for segment in segments[:-1]:
        a = starts[-1]
        for f, _ in segment:
            a = f(a)
        starts.append(a)
        del a
    while segments:
        segment, inputs = segments.pop(), [starts.pop()]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for _, vjp in reversed(segment):
            g = vjp(inputs.pop(), g)
    return g
