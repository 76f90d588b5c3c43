def matmul_backward(g, X, W):
    return g @ W.T, g.T @ X
