# /// autodrill
# title = "Backward of a VAE's KL term"
# kind = "backward"
# difficulty = "easy"
# minutes = 5
# topics = ["losses"]
# requires = ["sum_backward", "mul_backward"]
# ///
"""The encoder of a variational autoencoder predicts a normal distribution for each latent number: the mean `mu` and the
logarithm of the variance, `logvar`. Both have shape (N, d). The loss contains the divergence from a standard normal
distribution, summed over the d latent numbers and averaged over the N rows:

    L = (1/N) Σ_n Σ_j KL( N(mu_nj, exp(logvar_nj)) ‖ N(0, 1) )
    KL = -(1/2) (1 + logvar - mu² - exp(logvar))

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `dmu, dlogvar`.
"""

import numpy as np


def vae_kl_backward(g, mu, logvar):
    raise NotImplementedError
