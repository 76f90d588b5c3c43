def tanh_backward(self, out):
    self.grad = (1 - out.data * out.data) * out.grad
