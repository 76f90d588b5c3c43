def checkpoint_sqrt_n(fs, x, g):
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % 2 == 0:
            kept.append(a)
        a = f(a)
    for start in range((len(fs) - 1) // 2 * 2, -1, -2):
        segment = fs[start : start + 2]
        inputs = [kept.pop()]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for _, vjp in reversed(segment):
            g = vjp(inputs.pop(), g)
    return g
