def tanh_backward(self, out):
    self.grad += out.data * (1 - out.data) * out.grad
