def tanh_backward(self, out):
    self.grad += 1 - out.data**2 * out.grad
