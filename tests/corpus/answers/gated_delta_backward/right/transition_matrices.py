import numpy as np


def gated_delta_backward(g, q, k, v, alpha, beta):
    """S_t = M_t S_(t-1) + beta_t k_t v_t.T with M_t = alpha_t (I - beta_t k_t k_t.T), and each part by its own rule."""
    T, d = k.shape
    eye = np.eye(d, dtype=k.dtype)
    states = np.zeros((T + 1, d, v.shape[1]), dtype=q.dtype)
    M = [alpha[t] * (eye - beta[t] * np.outer(k[t], k[t])) for t in range(T)]
    for t in range(T):
        states[t + 1] = M[t] @ states[t] + beta[t] * np.outer(k[t], v[t])
    dq = np.einsum("tde,te->td", states[1:], g)
    dk, dv, dalpha, dbeta = np.zeros_like(k), np.zeros_like(v), np.zeros_like(alpha), np.zeros_like(beta)
    later = np.zeros_like(states[0])
    for t in range(T - 1, -1, -1):
        dS = later + np.outer(q[t], g[t])
        dM = dS @ states[t].T
        dalpha[t] = np.sum(dM * (eye - beta[t] * np.outer(k[t], k[t])))
        dbeta[t] = k[t] @ dS @ v[t] - alpha[t] * (k[t] @ dM @ k[t])
        dk[t] = beta[t] * (dS @ v[t]) - alpha[t] * beta[t] * ((dM + dM.T) @ k[t])
        dv[t] = beta[t] * (dS.T @ k[t])
        later = M[t].T @ dS
    return dq, dk, dv, dalpha, dbeta
