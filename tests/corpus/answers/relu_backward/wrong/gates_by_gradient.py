def relu_backward(self, out):
    self.grad += max(0, out.grad)
