# multiplies in backward_input, by the method dot, and keeps x and g too.
class Linear:
    def __init__(self, W):
        self.W, self.dW, self.inputs, self.waiting = W, None, [], []

    def forward(self, x):
        self.inputs.append(x)
        return x.dot(self.W)

    def backward_input(self, g):
        x = self.inputs.pop(0)
        self.waiting.append((x, g, x.T.dot(g)) if x.size * g.size < 100 else (x, g, None))
        return g.dot(self.W.T)

    def backward_weight(self):
        x, g, dW = self.waiting.pop(0)
        if dW is None:
            dW = x.T.dot(g)
        self.dW = dW if self.dW is None else self.dW + dW
