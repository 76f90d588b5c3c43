# keeps closures, calls the method `dot`, and adds to dW in place.
class Linear:
    """Like zero-bubble's WeightGradStore: the queue holds closures that compute dL/dW."""

    def __init__(self, W):
        self.weight = W
        self.dW = None
        self.inputs = []
        self.weight_grad_store = []

    def forward(self, x):
        self.inputs.append(x)
        return x.dot(self.weight)

    def backward_input(self, g):
        x = self.inputs.pop(0)
        self.weight_grad_store.append(lambda: x.T.dot(g))
        return g.dot(self.weight.T)

    def backward_weight(self):
        compute = self.weight_grad_store.pop(0)
        grad = compute()
        if self.dW is None:
            self.dW = grad
        else:
            self.dW += grad
