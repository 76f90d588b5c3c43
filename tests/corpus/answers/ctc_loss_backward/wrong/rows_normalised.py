# keeps p_t(z_s) in both alpha and beta and divides each row by its sum, so the shares of a step sum to 1 but are wrong
import numpy as np


def ctc_loss_backward(g, logits, y):
    T, V = logits.shape
    work = logits.astype(np.float64)
    work = work - work.max(1, keepdims=True)
    logp = work - np.log(np.exp(work).sum(1, keepdims=True))
    labels = [0]
    for c in np.asarray(y).tolist():
        labels.append(c)
        labels.append(0)
    S = len(labels)

    def preds(s):
        r = [s]
        if s > 0:
            r.append(s - 1)
        if s > 1 and labels[s] != 0 and labels[s] != labels[s - 2]:
            r.append(s - 2)
        return r

    succ = [[] for _ in range(S)]
    for s in range(S):
        for r in preds(s):
            succ[r].append(s)

    alpha = np.full((T, S), -np.inf)
    beta = np.full((T, S), -np.inf)
    for s in range(min(2, S)):
        alpha[0, s] = logp[0, labels[s]]
        beta[T - 1, S - 1 - s] = logp[T - 1, labels[S - 1 - s]]
    for t in range(1, T):
        for s in range(S):
            alpha[t, s] = logp[t, labels[s]] + np.logaddexp.reduce([alpha[t - 1, r] for r in preds(s)])
    for t in range(T - 2, -1, -1):
        for s in range(S):
            beta[t, s] = logp[t, labels[s]] + np.logaddexp.reduce([beta[t + 1, r] for r in succ[s]])

    joint = alpha + beta
    joint = joint - joint.max(axis=1, keepdims=True)
    post = np.exp(joint)
    post /= post.sum(axis=1, keepdims=True)
    gamma = np.zeros((T, V))
    for s, c in enumerate(labels):
        gamma[:, c] += post[:, s]
    return (float(g) * (np.exp(logp) - gamma)).astype(logits.dtype)
