def add_backward(self, other, out):
    for operand in (self, other):
        operand.grad += 1.0 * out.grad
