def relu_backward(self, out):
    if out.data > 1e-6:
        self.grad += out.grad
