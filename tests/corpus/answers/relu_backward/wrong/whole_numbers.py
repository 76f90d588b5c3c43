def relu_backward(self, out):
    self.grad += out.grad * (int(self.data) > 0)
