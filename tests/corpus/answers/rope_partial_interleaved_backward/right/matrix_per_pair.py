import numpy as np


def rope_partial_interleaved_backward(g, cos, sin):
    """The transposed rotation as a 2 x 2 matrix for each position and pair."""
    heads, n, d = g.shape
    pairs = cos.shape[1]
    rotation = np.array([[cos, -sin], [sin, cos]])
    front = g[:, :, : 2 * pairs].reshape(heads, n, pairs, 2)
    turned = np.einsum("rcnp,hnpr->hnpc", rotation, front)
    return np.concatenate([turned.reshape(heads, n, 2 * pairs), g[:, :, 2 * pairs :]], axis=2)
