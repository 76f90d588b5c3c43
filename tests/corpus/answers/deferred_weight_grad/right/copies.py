import numpy as np


class Linear:
    """Copies of all that it keeps, and the transpose of W."""

    def __init__(self, W):
        self.W, self.transposed = W.copy(), np.ascontiguousarray(W.T)
        self.dW = None
        self.x, self.g, self.counts = {}, {}, [0, 0, 0]

    def number(self, step):
        self.counts[step] += 1
        return self.counts[step]

    def forward(self, x):
        self.x[self.number(0)] = np.array(x, dtype=float)
        return np.dot(x, self.W)

    def backward_input(self, g):
        self.g[self.number(1)] = np.array(g)
        return np.dot(g, self.transposed)

    def backward_weight(self):
        done = self.number(2)
        dW = np.tensordot(self.x.pop(done), self.g.pop(done), axes=(0, 0))
        if self.dW is None:
            self.dW = dW
        else:
            self.dW += dW
