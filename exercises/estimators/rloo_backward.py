# /// autodrill
# title = "Leave-one-out REINFORCE"
# kind = "backward"
# difficulty = "easy"
# minutes = 5
# topics = ["estimators", "post-training"]
# requires = ["reinforce_backward"]
# ///
"""RLOO (REINFORCE, leave one out) draws K answers to each of B prompts. The baseline of an answer is the mean reward of
the *other* K - 1 answers to the same prompt. The forward pass computed

    L = -(1/(B·K)) Σ_b Σ_k (R_bk - baseline_bk) · logp_bk

`logp` holds the log-probabilities of the answers, and `reward` holds their rewards R. Both have shape (B, K), and K is
at least 2. The rewards are constants. `g`, a 0-d array, is the upstream gradient of the scalar L. Return `dlogp`.
"""

import numpy as np


def rloo_backward(g, logp, reward):
    raise NotImplementedError
