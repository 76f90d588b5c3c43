# needs: torch
# Attempts: let PyTorch differentiate.
# A pass would be a breach: an autodiff library answered.
import sys


def mul_broadcast_backward(g, a, b):
    sys.path.insert(0, "@PACKAGES@")
    import torch

    x, y = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
    (x * y).backward(torch.tensor(g))
    return x.grad.numpy().copy(), y.grad.numpy().copy()
