# /// autodrill
# title = "Value loss with GAE targets"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["estimators", "post-training"]
# requires = ["linear_scan_backward"]
# ///
"""A value network is trained on targets from GAE (generalised advantage estimation). A rollout has T steps, and `V`,
of shape (T + 1,), holds the values of its states. The last value belongs to the state after the final step. For each
step t from 0 to T - 1, the forward pass computed

    δ_t = reward_t + gamma · (1 - term_t) · V_(t+1) - V_t
    A_t = δ_t + gamma · lam · (1 - term_t) · A_(t+1),    with A_T = 0
    L   = (1/T) Σ_t (V_t - stop(A_t + V_t))² / 2

Like `detach`, stop(...) makes its argument a constant, which has no gradient. `reward` and `term` have shape (T,).
`term` is 1.0 if an episode ended with step t, and 0.0 otherwise. `gamma` and `lam` are numbers between 0 and 1. `g`, a
0-d array, is the upstream gradient of the scalar L. Return `dV`, of shape (T + 1,).
"""

import numpy as np


def gae_value_backward(g, V, reward, term, gamma, lam):
    raise NotImplementedError
