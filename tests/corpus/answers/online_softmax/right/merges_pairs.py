import numpy as np


def online_softmax(blocks):
    """Each block becomes an output and a log-sum-exp of its own, and is merged with what came before."""
    out = lse = None
    for s, v in blocks:
        top = s.max(axis=1, keepdims=True)
        shift = np.where(np.isfinite(top), top, 0)
        e = np.exp(s - shift)
        sums = e.sum(axis=1)
        seen = sums > 0
        block_lse = np.full(len(s), -np.inf)
        block_lse[seen] = shift[seen, 0] + np.log(sums[seen])
        block_out = np.zeros((len(s), v.shape[1]))
        block_out[seen] = (e @ v)[seen] / sums[seen, None]
        if out is None:
            out, lse = block_out, block_lse
            continue
        both = np.logaddexp(lse, block_lse)
        with np.errstate(invalid="ignore"):
            old, new = np.exp(lse - both), np.exp(block_lse - both)
        old, new = np.nan_to_num(old), np.nan_to_num(new)
        out = old[:, None] * out + new[:, None] * block_out
        lse = both
    return out, lse
