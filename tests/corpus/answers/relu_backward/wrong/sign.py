def relu_backward(self, out):
    sign = (self.data > 0) - (self.data < 0)
    self.grad += sign * out.grad
