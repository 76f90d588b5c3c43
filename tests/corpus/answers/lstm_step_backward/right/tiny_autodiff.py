import numpy as np


class T:
    def __init__(self, v, back=()):
        self.v, self.back, self.g = v, back, 0.0

    def __add__(self, o):
        return T(self.v + o.v, [(self, lambda g: g), (o, lambda g: g)])

    def __mul__(self, o):
        return T(self.v * o.v, [(self, lambda g: g * o.v), (o, lambda g: g * self.v)])

    def __matmul__(self, o):
        return T(self.v @ o.v, [(self, lambda g: g @ o.v.T), (o, lambda g: self.v.T @ g)])

    def tanh(self):
        y = np.tanh(self.v)
        return T(y, [(self, lambda g: g * (1 - y * y))])

    def sigmoid(self):
        y = np.tanh(self.v / 2) / 2 + 0.5
        return T(y, [(self, lambda g: g * y * (1 - y))])

    def cols(self, a, b):
        def back(g):
            full = np.zeros_like(self.v)
            full[:, a:b] = g
            return full

        return T(self.v[:, a:b], [(self, back)])


def cat(a, b):
    k = a.v.shape[1]
    return T(np.concatenate([a.v, b.v], 1), [(a, lambda g: g[:, :k]), (b, lambda g: g[:, k:])])


def order(*roots):
    seen, out = set(), []

    def visit(t):
        if id(t) not in seen:
            seen.add(id(t))
            for s, _ in t.back:
                visit(s)
            out.append(t)

    for r in roots:
        visit(r)
    return out[::-1]


def lstm_step_backward(gh, gc, x, h, c, W):
    X, Hh, C, Ww = T(x), T(h), T(c), T(W)
    z = cat(X, Hh) @ Ww
    n = h.shape[1]
    i, f, o = (z.cols(k * n, (k + 1) * n).sigmoid() for k in range(3))
    u = z.cols(3 * n, 4 * n).tanh()
    c2 = f * C + i * u
    h2 = o * c2.tanh()
    h2.g, c2.g = gh, gc
    for t in order(h2, c2):
        for s, back in t.back:
            s.g = s.g + back(t.g)
    return X.g, Hh.g, C.g, Ww.g
