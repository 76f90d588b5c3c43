def relu_backward(self, out):
    if self.data > 0:
        slope = 1.0
    elif self.data == 0:
        slope = 0.5
    else:
        slope = 0.0
    self.grad += slope * out.grad
