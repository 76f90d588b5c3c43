import math

import torch


def gelu_backward(g, x):
    cdf = (1 + torch.erf(x / math.sqrt(2))) / 2
    pdf = torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return g * (cdf + x * pdf)
