def matmul_backward(g, X, W):
    return (g @ W.T).tolist(), (X.T @ g).tolist()
