def matmul_backward(g, X, W):
    return g @ W, X @ g
