import numpy as np


def muon_step(W, G, M, lr, momentum, decay, newton_schulz):
    M *= momentum
    M += G
    u = np.add(G, momentum * M)
    tall = W.shape[0] > W.shape[1]
    update = newton_schulz(u.swapaxes(0, 1) if tall else u, steps=5)
    if tall:
        update = np.sqrt(W.shape[0] / W.shape[1]) * update.swapaxes(0, 1)
    W -= lr * decay * W
    W -= lr * update
    return W, M
