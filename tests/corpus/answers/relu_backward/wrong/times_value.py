def relu_backward(self, out):
    self.grad += out.data * out.grad
