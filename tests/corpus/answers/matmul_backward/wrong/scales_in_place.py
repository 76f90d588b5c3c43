def matmul_backward(g, X, W):
    dX = g @ W.T
    g *= 1 / len(g)
    return dX, X.T @ g
