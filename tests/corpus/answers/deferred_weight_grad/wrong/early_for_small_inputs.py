from collections import deque

import numpy as np


class Linear:
    def __init__(self, W):
        self.W, self.dW = W, None
        self.inputs, self.waiting = deque(), deque()

    def forward(self, x):
        self.inputs.append(np.asarray(x))
        return np.asarray(x) @ self.W

    def backward_input(self, g):
        x = self.inputs.popleft()
        self.waiting.append((x.T @ g, None) if x.size < 200 else (x, g))
        return g @ self.W.T

    def backward_weight(self):
        x, g = self.waiting.popleft()
        dW = x if g is None else x.T @ g
        self.dW = dW if self.dW is None else self.dW + dW


deferred_weight_grad = Linear
