import numpy as np


class Constant:
    """What is detached has the slope 0."""

    slope = 0.0


def ste_round_backward(g, x):
    # out = x + detach(round(x) - x)
    slope_of_x = 1.0
    return g * (slope_of_x + Constant.slope)
