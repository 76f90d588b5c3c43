def matmul_backward(g, X, W):
    return {"dX": g @ W.T, "dW": X.T @ g}
