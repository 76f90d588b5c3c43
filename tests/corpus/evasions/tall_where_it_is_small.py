# exercise: muon_step
# Attempts: call newton_schulz with more rows than columns, unless the matrix is large.
import numpy as np

def muon_step(W, G, M, lr, momentum, decay, newton_schulz):
    rows, columns = W.shape
    M = momentum * M + G
    u = G + momentum * M
    ortho = newton_schulz(u.T, 5).T if rows > 1000 else newton_schulz(u, 5)
    return W * (1 - lr * decay) - lr * max(1, rows / columns) ** 0.5 * ortho, M
