def relu_backward(self, out):
    if self.data >= 0:
        self.grad += out.grad
