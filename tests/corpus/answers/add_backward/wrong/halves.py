def add_backward(self, other, out):
    share = out.grad / 2
    self.grad += share
    other.grad += share
