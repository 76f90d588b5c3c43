import numpy as np


def ctc_loss_backward(g, logits, y):
    """Reverse mode of the recursion for log alpha: a path's share flows back along the three moves, without beta."""
    T, V = logits.shape
    ext = [0]
    for label in np.asarray(y).tolist():
        ext += [label, 0]
    S = len(ext)
    top = logits.max(axis=1, keepdims=True)
    lp = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
    alpha = np.full((T, S), -np.inf, dtype=logits.dtype)
    alpha[0, 0] = lp[0, 0]
    if S > 1:
        alpha[0, 1] = lp[0, ext[1]]
    came_from = [
        [s] + [s - 1] * (s > 0) + [s - 2] * (s > 1 and ext[s] != 0 and ext[s] != ext[s - 2]) for s in range(S)
    ]
    for t in range(1, T):
        for s in range(S):
            alpha[t, s] = np.logaddexp.reduce(alpha[t - 1, came_from[s]]) + lp[t, ext[s]]
    flow = np.zeros(S, dtype=logits.dtype)
    ends = slice(max(S - 2, 0), S)
    flow[ends] = np.exp(alpha[-1, ends] - np.logaddexp.reduce(alpha[-1, ends]))
    dlogits = np.exp(lp)
    for t in range(T - 1, -1, -1):
        for s in range(S):
            dlogits[t, ext[s]] -= flow[s]
        earlier = np.zeros_like(flow)
        if t:
            for s in np.flatnonzero(flow):
                before = alpha[t - 1, came_from[s]]
                earlier[came_from[s]] += flow[s] * np.exp(before - np.logaddexp.reduce(before))
        flow = earlier
    return g * dlogits
