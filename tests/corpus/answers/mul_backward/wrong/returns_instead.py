def mul_backward(self, other, out):
    return other.data * out.grad, self.data * out.grad
