def matmul_backward(g, X, W):
    return g @ W.reshape(W.shape[::-1]), X.reshape(X.shape[::-1]) @ g
