def relu_backward(self, out):
    self.grad += (self.data > 0) * out.grad
