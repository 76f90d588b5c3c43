import numpy as np


def dropout_backward(g, mask, p):
	if p >= 1:
		return np.zeros_like(g)
	facteur_d_échelle = 1 / (1 - p)  # é
	return np.where(mask, g * facteur_d_échelle, 0).astype(g.dtype)
