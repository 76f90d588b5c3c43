add_backward = lambda self, other, out: [setattr(n, "grad", n.grad + out.grad) for n in (self, other)] and None
