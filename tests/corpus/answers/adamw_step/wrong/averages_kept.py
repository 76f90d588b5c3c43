import numpy as np

state = {}


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    if t == 1:
        state["m"], state["v"] = np.zeros_like(p), np.zeros_like(p)
    state["m"] = b1 * state["m"] + (1 - b1) * g
    state["v"] = b2 * state["v"] + (1 - b2) * g * g
    m_hat = state["m"] / (1 - b1**t)
    v_hat = state["v"] / (1 - b2**t)
    p = p * (1 - lr * wd) - lr * m_hat / (np.sqrt(v_hat) + eps)
    return p, state["m"], state["v"]
