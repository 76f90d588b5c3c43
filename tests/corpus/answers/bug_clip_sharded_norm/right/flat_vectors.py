import numpy as np


def bug_clip_sharded_norm(sharded, replicated, max_norm, all_reduce):
    """The pieces are joined, and the root of the reduced square is combined with the replicated part by hypot."""
    own = np.concatenate([np.zeros(0), *map(np.ravel, sharded)])
    same = np.concatenate([np.zeros(0), *map(np.ravel, replicated)])
    (total,) = all_reduce(np.array([own @ own]))
    norm = np.hypot(np.sqrt(total), np.linalg.norm(same))
    if norm + 1e-6 <= max_norm:
        return norm, [a.copy() for a in sharded], [a.copy() for a in replicated]
    factor = max_norm / (norm + 1e-6)
    return norm, [factor * a for a in sharded], [factor * a for a in replicated]
