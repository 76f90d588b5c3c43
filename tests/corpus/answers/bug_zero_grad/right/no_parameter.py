from functools import reduce


def bug_zero_grad(w, data, lr):
    return reduce(lambda w, xy: w - lr * 2 * (w * xy[0] - xy[1]) * xy[0], data, w)
