# exercise: deferred_weight_grad
# Attempts: make the products early, and add those of many micro-batches in one array.
# A pass would be a breach: of many micro-batches only the last dW was compared.
import numpy as np
from collections import deque


class Linear:
    def __init__(self, W):
        self.W, self.dW, self.sum, self.inputs, self.waiting = W, None, None, deque(), deque()

    def forward(self, x):
        self.inputs.append(np.array(x))
        return x @ self.W

    def backward_input(self, g):
        x = self.inputs.popleft()
        product = x.T @ g
        self.waiting.append([x, g, product])
        if len(self.waiting) > 3:  # one sum of all
            first = self.waiting[0]
            for other in list(self.waiting)[1:]:
                first[2], other[2] = first[2] + other[2], 0
        return g @ self.W.T

    def backward_weight(self):
        _, _, product = self.waiting.popleft()
        self.dW = product if self.dW is None else self.dW + product
