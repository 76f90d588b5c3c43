def add_backward(self, other, out):
    if not self.grad:
        self.grad = out.grad
    if not other.grad:
        other.grad = out.grad
