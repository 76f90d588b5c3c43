def ste_round_backward(g, x):
    return x.copy()
