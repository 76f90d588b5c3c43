# /// autodrill
# title = "Gaussian negative log-likelihood"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["losses"]
# requires = ["pow_backward", "sum_backward"]
# ///
"""A model predicts a mean `mu` and a variance `var` for each target `y`. The three arrays have the same shape, with any
number of axes. The forward pass computed the negative log-likelihood of a normal distribution without its constant:

    L = (1/n) Σ (1/2) (log var + (y - mu)² / var)

The sum runs over all n elements. `g`, a 0-d array, is the upstream gradient of the scalar L. Return `dmu, dvar`. All
variances are positive, but some are as small as 1e-4 and some as large as 1e4.
"""

import numpy as np


def gaussian_nll_backward(g, mu, var, y):
    raise NotImplementedError
