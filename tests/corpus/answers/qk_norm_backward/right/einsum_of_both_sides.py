import numpy as np


def qk_norm_backward(g, q, k, gamma_q, gamma_k):
    """The slope of 1/rms is written out with its cube, and nothing is called twice."""
    d = q.shape[-1]
    root = np.sqrt(q.dtype.type(d))
    ms_q = np.einsum("bhnd,bhnd->bhn", q, q)[..., None] / d + q.dtype.type(1e-6)
    ms_k = np.einsum("bhmd,bhmd->bhm", k, k)[..., None] / d + k.dtype.type(1e-6)
    q_hat, k_hat = q / np.sqrt(ms_q), k / np.sqrt(ms_k)
    d_q_scaled = np.einsum("bhnm,bhmd,d->bhnd", g, k_hat, gamma_k) / root
    d_k_scaled = np.einsum("bhnm,bhnd,d->bhmd", g, q_hat, gamma_q) / root
    d_q_hat, d_k_hat = d_q_scaled * gamma_q, d_k_scaled * gamma_k
    along_q = np.einsum("bhnd,bhnd->bhn", d_q_hat, q)[..., None] / d
    along_k = np.einsum("bhmd,bhmd->bhm", d_k_hat, k)[..., None] / d
    dq = d_q_hat / np.sqrt(ms_q) - q * along_q / ms_q**1.5
    dk = d_k_hat / np.sqrt(ms_k) - k * along_k / ms_k**1.5
    return dq, dk, np.einsum("bhnd,bhnd->d", d_q_scaled, q_hat), np.einsum("bhmd,bhmd->d", d_k_scaled, k_hat)
