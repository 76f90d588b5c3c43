"""At the minimum the gradient of the objective is a combination of the constraints' normals: with multipliers ν,

    | Q  Aᵀ | | x |   | -p |
    | A  0  | | ν | = |  b |        call the matrix K

The solution is linear in (p, b), with K⁻¹ between. A cotangent of (x, ν) is pulled back by K⁻ᵀ, and ν has none:

    Kᵀ (u, v) = (g, 0),    dp = -u,    db = v

What the blocks say: A u = 0, so dp lies in the directions that the constraints leave open. Moving p along the row space
of A only moves the multipliers. And where there are as many constraints as unknowns, dp is 0: x is pinned to A⁻¹ b.

Cost: One solve with the matrix that the forward factored: O((n + m)²) with its factors at hand, beside O((n + m)³) for
factoring; K is symmetric, so even the transpose is free. This function is handed no factors and factors again. Neither
x nor ν need be kept for dp and db.

PyTorch: It has no layer for this, but with K assembled `torch.linalg.solve` does it: it saves K, its LU factors, the
pivots and the result, and an ordinary backward is a solve with those factors; with `create_graph=True` K is factored
anew, as a step that can itself be differentiated. What it returns for Q is -u xᵀ, not symmetrised.

Asked next:

- What are dQ and dA? → Differentiating K (x, ν) = (-p, b) gives dK = -(u, v) (x, ν)ᵀ, and one reads off its blocks: dQ
  is the symmetric part of -u xᵀ, and dA = -(ν uᵀ + v xᵀ), as A stands in K twice. So for dA the forward must keep ν.
- How do you check it without finite differences? → A dp = 0 for every g. And for g = Aᵀ w the loss is w·A x = w·b,
  whatever p is, so dp must be 0 and db must be w.
- What changes with inequalities? → At the solution, those with a positive multiplier act as equalities, and those with
  slack drop out: the same solve, with the active rows. An inequality that is active with multiplier 0 may put a kink
  there, with one slope on each side.
- What if the rows of A are dependent? → K is singular: the multipliers are not unique, and most b have no solution, so
  db means nothing. `solve` need not raise: rounding can hide the zero pivot, and numbers come out. Drop redundant rows.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Do not differentiate a solver. Which linear equations does the minimiser satisfy, together with its multipliers?",
    "Stack stationarity and feasibility into one system K (x, ν) = (-p, b). How is a cotangent of (x, 0) pulled back?",
    "Build K with `np.block`, solve with (g, zeros) on the right, split the result, and mind the sign of p.",
)
WRT = ("p", "b")


def definite(rng, shape, sizes):
    M = rng.normal(size=shape)
    return M @ M.T / max(1, len(M)) + np.eye(len(M))


CASES = [
    given("Q[4,4] p[4] A[1,4] b[1]", Q=definite, note="one constraint"),
    given("Q[5,5] p[5] A[3,5] b[3]", Q=definite, note="three constraints"),
    given("Q[n>=3,n] p[n] A[1,n] b[1]", Q=definite, empty=False, large={"n": 500}, note="n unknowns"),
    given("Q[2,2] p[2] A[2,2] b[2]", Q=definite, A=[[1.0, 2.0], [-1.0, 1.0]], note="x is pinned"),
    given("Q[3,3] p[3] A[1,3] b[1]", Q=definite, g=0.0, note="no cotangent"),
    given("Q[1,1] p[1] A[1,1] b[1]", Q=definite, A=[[2.0]], note="one unknown"),
]
EQUIVALENT = {
    "transpose: ...": "the matrix is symmetric, and the results have one axis",
    "operand: len(p) -> ...": "there are as many unknowns as prices, rows of Q and cotangents",
}


def kkt(Q, A):
    return np.block([[Q, A.T], [A, np.zeros((len(A), len(A)), Q.dtype)]])


def forward(Q, p, A, b):
    both = engine.solve(kkt(Q, A), engine.concatenate([-p, b], axis=0))
    return both[: p.shape[0]]


def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], both[len(p) :]


@mistake("sign", "p stands in the equations as it is", "The right-hand side holds -p. What does that do to dp?")
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return both[: len(p)], both[len(p) :]


@mistake(
    "constraint-ignored",
    "x moves as the unconstrained minimiser does",
    "x may move only inside A x = b. What is A times your dp?",
)
def equality_qp_backward(g, Q, p, A, b):
    return -np.linalg.solve(Q, g), np.zeros_like(b)


@mistake(
    "multiplier-moved",
    "the multipliers receive the cotangent too",
    "Does the loss see ν? Then what stands below g on the right?",
)
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, A @ g]))
    return -both[: len(p)], both[len(p) :]


@mistake("db-sign", "b moves x the other way", "A x = b: raise b. Which way does A x go?")
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], -both[len(p) :]


@mistake(
    "projected-only",
    "x moves by what the constraints leave of the push",
    "Double Q: how far does the same p move x then? And where is Q in your answer?",
)
def equality_qp_backward(g, Q, p, A, b):
    v = np.linalg.solve(A @ A.T, A @ g)
    return -(g - A.T @ v), v


@mistake(
    "projected-afterwards",
    "one may minimise freely first and project on A x = b afterwards",
    "The nearest point that A x = b allows: is that also the one where the objective is least?",
)
def equality_qp_backward(g, Q, p, A, b):
    u = np.linalg.solve(Q, g)
    v = np.linalg.solve(A @ A.T, A @ u)
    return -(u - A.T @ v), v
