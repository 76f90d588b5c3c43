import numpy as np


def triplet_loss_backward(g, anchor, pos, neg, margin):
    near, far = anchor - pos, anchor - neg
    h = np.einsum("nd,nd->n", near, near) - np.einsum("nd,nd->n", far, far) + margin
    dh = np.where(h > 0, g / len(anchor), 0).astype(anchor.dtype)
    dnear = 2 * near * dh[:, None]
    dfar = -2 * far * dh[:, None]
    return dnear + dfar, -dnear, -dfar
