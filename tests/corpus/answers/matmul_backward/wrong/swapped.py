def matmul_backward(g, X, W):
    dW = X.T @ g
    dX = g @ W.T
    return dW, dX
