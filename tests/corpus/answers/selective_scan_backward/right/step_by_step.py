import numpy as np


def selective_scan_backward(g, x, dt, A, B, C, D):
    """One step at a time: the states forwards, then each step's own gradients backwards."""
    T = x.shape[0]
    states = [np.zeros(A.shape, dtype=A.dtype)]
    for t in range(T):
        states.append(np.exp(dt[t][:, None] * A) * states[-1] + np.outer(dt[t] * x[t], B[t]))
    dx, ddt, dB, dC = np.empty_like(x), np.empty_like(dt), np.empty_like(B), np.empty_like(C)
    dA, dD, carried = np.zeros_like(A), np.zeros_like(D), np.zeros_like(A)
    for t in range(T - 1, -1, -1):
        decay = np.exp(dt[t][:, None] * A)
        carried = carried + np.outer(g[t], C[t])
        dC[t] = states[t + 1].T @ g[t]
        d_exponent = carried * decay * states[t]
        d_input = carried @ B[t]
        dx[t] = d_input * dt[t] + D * g[t]
        ddt[t] = d_input * x[t] + np.einsum("cn,cn->c", d_exponent, A)
        dA += d_exponent * dt[t][:, None]
        dB[t] = (dt[t] * x[t]) @ carried
        dD += g[t] * x[t]
        carried = carried * decay
    return dx, ddt, dA, dB, dC, dD
