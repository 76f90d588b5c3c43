def tanh_backward(self, out):
    t = out.data
    self.grad += (1 - t) * (1 + t) * out.grad
