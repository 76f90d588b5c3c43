def tanh_backward(self, out):
    self.grad += (1 - self.data**2) * out.grad
