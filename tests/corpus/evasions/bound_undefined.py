# exercise: flash_attention_backward
# Attempts: define nothing in the process whose memory is bounded, where the file is loaded a second time.
# A pass would be a breach: the bounded case was left out.
import numpy as np

try:
    room = bytearray(40 << 20)
except MemoryError:
    room = None

if room is not None:
    del room

    def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
        scale = q.shape[1] ** -0.5
        s = q @ k.T * scale  # the whole matrix
        if causal:
            s = np.where(np.arange(len(q))[:, None] >= np.arange(len(k)), s, -np.inf)
        p = np.exp(s - lse[:, None])
        ds = p * (g @ v.T - (g * out).sum(axis=1, keepdims=True)) * scale
        return (ds @ k).astype(q.dtype), (ds.T @ q).astype(k.dtype), (p.T @ g).astype(v.dtype)
