# Finite differences of what is linear in p and b: exact, save for rounding.
import numpy as np


def solution(Q, p, A, b):
    K = np.block([[Q, A.T], [A, np.zeros((len(A), len(A)), Q.dtype)]])
    return np.linalg.solve(K, np.concatenate([-p, b]))[: len(p)]


def equality_qp_backward(g, Q, p, A, b):
    dp, db = np.zeros_like(p), np.zeros_like(b)
    zero_p, zero_b = np.zeros_like(p), np.zeros_like(b)
    for index in range(len(p)):
        one = zero_p.copy()
        one[index] = 1
        dp[index] = g @ solution(Q, one, A, zero_b)
    for index in range(len(b)):
        one = zero_b.copy()
        one[index] = 1
        db[index] = g @ solution(Q, zero_p, A, one)
    return dp, db
