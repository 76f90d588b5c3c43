def relu_backward(self, out):
    if 0 < self.data < 6:
        self.grad += out.grad
