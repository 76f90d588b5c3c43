import numpy as np


class AdamW:
    def __init__(self, lr, betas, eps, wd):
        self.lr, self.betas, self.eps, self.wd = lr, betas, eps, wd

    def step(self, p, g, m, v, t):
        b1, b2 = self.betas
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * np.square(g)
        m_hat = m / (1 - b1**t)
        v_hat = v / (1 - b2**t)
        p = p - self.lr * self.wd * p
        p = p - self.lr * m_hat / (np.sqrt(v_hat) + self.eps)
        return p, m, v


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    return AdamW(lr, (b1, b2), eps, wd).step(p, g, m, v, t)
