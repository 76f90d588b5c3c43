def mul_backward(a, b, o):
    """Renamed parameters and a return value nobody asked for."""
    a.grad, b.grad = a.grad + b.data * o.grad, b.grad + a.data * o.grad
    if a is b:
        a.grad += a.data * o.grad
    return True
