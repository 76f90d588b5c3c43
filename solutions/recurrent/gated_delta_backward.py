"""A step of the gated delta rule has four lines. Backward takes the same lines in reverse order. Let R be the gradient
of the loss with respect to S_t. R has two parts: out_t contributes q_t g_tᵀ, and step t+1 contributes the rest. All
other symbols below belong to step t, and their index is left out.

out = Sᵀ q reads the new state, so dq = S g.

S = A + β k uᵀ passes R on to A and to each factor of the product:

    dβ = kᵀ R u,    du = β Rᵀ k,    dk gets β R u,    dA gets R

u = v - Aᵀ k uses k and A a second time:

    dv = du,    dk gets -A du,    dA gets -k duᵀ

The last line to reverse is A = α S_(t-1), with the sum of both parts of dA:

    dk = β R u - A du,    dA = R - k duᵀ
    dα = Σ (dA ∘ S_(t-1)),    the part of R for step t-1 is α dA

If the forward uses a symbol twice, the gradient of this symbol has two terms. k and A occur in u and in S_t. S_t occurs
in out_t and in A_(t+1).

dA = (I - β k kᵀ) R, so the gradient passes through the same matrix as the state. For |k| = 1 and β = 1 this matrix
removes the direction k from R. The step has overwritten everything that the memory held for k, so no earlier step can
influence what the memory now returns for k.

Cost: O(T·d·e) operations. A step of the forward takes two matrix-vector products and one outer product. A step of this
backward computes u and S again, and then takes four matrix-vector products and two outer products. The step needs
S_(t-1) and R at the same time, although S runs forwards and R backwards. So the states are kept. They take T·d·e
numbers.

PyTorch: Autograd saves all states of a Python loop, as this solution does. The library flash-linear-attention has
Triton kernels for chunks of 64 steps. Their forward saves the inputs and, for each chunk, the inverse of a triangular
64 x 64 matrix. Their backward computes the states at the chunk boundaries again. The kernels take the logarithm of α as
their input.

Asked next:

- The gradient flows through α (I - β k kᵀ) at each step. When is it certain that the gradient does not explode? → If
  |k| = 1, the eigenvalue in the direction of k is α(1 - β), and all others are α. With α between 0 and 1 and β between
  0 and 2, no eigenvalue exceeds 1 in absolute value. So layers normalise k, and keep α and β in these ranges. For β
  above 1 the eigenvalue in the direction of k is negative.
- A step of the gated delta rule can be seen as a step of gradient descent. On which loss? → The loss is ½‖Aᵀ k - v‖²,
  and the learning rate is β. The gradient of this loss with respect to A is -k uᵀ. With |k| = 1 and β = 1, the new
  memory returns exactly v for the key k.
- Can the backward undo the steps instead of keeping the states? → Not in general. S_(t-1) is (I - β k kᵀ)⁻¹ (S_t - β k
  vᵀ)/α. This formula fails if α is 0 or if β|k|² is 1, and it amplifies rounding errors near these values. Instead,
  keep the state of every c-th step, and recompute the c steps that follow each of these states.
- How is a chunk of c steps computed with matrix products? → Without the decay, the product of the matrices I - β k kᵀ
  of a chunk is I - Kᵀ W. K holds the keys as rows. W solves the system (I + M) W = diag(β) K, and M is the part of
  diag(β) K Kᵀ below the diagonal. So one triangular solve replaces c sequential steps.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal, uniform

HINTS = (
    "Which symbols does a step use twice? The gradient of each of them has two terms. Which lines use S_t?",
    (
        "Run the steps again, and keep the states and the errors u. Then go backwards with R, the gradient of S_t. "
        "Reverse the four lines one after the other, and collect dk and dA from two lines each."
    ),
    (
        "With `p = R.T @ k[t]`, dbeta is the dot product of p with one vector, and du is a multiple of p. Then dk is "
        "`beta[t] * (R @ u[t]) - ...`."
    ),
)
PATTERN = "q[T,d] k[T,d] v[T,e] alpha[T] beta[T]"
DRAWN = {"k": normal(0.6), "alpha": uniform(0.5, 1), "beta": uniform(0.1, 1)}


def unit_keys(rng, shape, _):
    k = rng.normal(size=shape)
    return k / np.linalg.norm(k, axis=1, keepdims=True)


CASES = [
    given(PATTERN, **DRAWN, large={"T": 150, "d": 20, "e": 24}),
    given("q[1,d] k[1,d] v[1,e] alpha[1] beta[1]", **DRAWN, large=False, note="one step"),
    given("q[12,2] k[12,2] v[12,3] alpha[12] beta[12]", **DRAWN, large=False, note="twelve steps"),
    given(PATTERN, k=unit_keys, alpha=1.0, beta=1.0, large=False, note="unit keys that overwrite"),
    given(
        "q[4,2] k[4,2] v[4,3] alpha[4] beta[4]",
        alpha=[1.0, 0.0, 1.0, 0.5],
        beta=[1.0, 0.5, 0.0, 2.0],
        k=normal(0.6),
        note="alpha and beta of 0",
    ),
]
MISTAKES = [
    edit(
        "error-constant",
        "the error u does not depend on the memory",
        "The forward reads the memory to compute u. Which gradient does the memory therefore get from u?",
        "dA = R - np.outer(k[t], du) -> dA = R",
    ),
    edit(
        "key-writes-only",
        "the key is used only where the memory is corrected",
        "With which key does the line for u_t read the memory?",
        "dk[t] = beta[t] * (R @ u[t]) - A @ du -> dk[t] = beta[t] * (R @ u[t])",
    ),
    edit(
        "key-asks-only",
        "the key is used only to read the memory",
        "Change k_t a little, and keep u_t. Does the correction β k uᵀ change?",
        "beta[t] * (R @ u[t]) - A @ du -> -A @ du",
    ),
    edit(
        "decay-without-erase",
        "α affects S_t directly, but not through the error u",
        "A is used twice, in S_t and in u. Does your dalpha contain a term for each use?",
        "(dA * S[t]).sum() -> (R * S[t]).sum()",
    ),
    edit(
        "reads-before-write",
        "out_t reads the memory before step t corrects it",
        "Which state was multiplied by q_t?",
        "dq[t] = S[t + 1] @ g[t] -> dq[t] = A @ g[t]",
    ),
    edit(
        "no-carry",
        "a state affects only the output of its own step",
        "Both out_t and S_(t+1) depend on S_t. Does g_2 reach v_1 in your code?",
        "R = R + -> R =",
    ),
    edit(
        "carry-without-decay",
        "the memory passes from step to step without decay",
        "By which factor does A_t differ from S_(t-1)?",
        "R = alpha[t] * dA -> R = dA",
    ),
    edit(
        "carry-without-erase",
        "the gradient passes from S_t to S_(t-1) through the decay alone",
        "Take |k| = 1 and β = 1. Can the value that S_(t-1) held for k still influence a later output?",
        "R = alpha[t] * dA -> R = alpha[t] * R",
    ),
    edit(
        "asks-undecayed-memory",
        "the error is measured before the memory decays",
        "Which matrix does k_t read in the line for u_t: S_(t-1) or A_t?",
        "u.append(v[t] - A.T @ k[t]) -> u.append(v[t] - S[t].T @ k[t])",
    ),
    edit(
        "divides-by-alpha",
        "A_t divided by alpha_t is always S_(t-1)",
        "What does A_t hold if alpha_t is 0? Which state can you keep, so that you need no division?",
        "(dA * S[t]).sum() -> (dA * A).sum() / alpha[t]",
    ),
    edit(
        "divides-by-beta",
        "the gradient of u divided by beta_t always gives the factor of beta_t",
        "What is du if beta_t is 0? Which product do you have before the multiplication by beta_t?",
        "dbeta[t] = (p * u[t]).sum() -> dbeta[t] = (beta[t] * p * u[t]).sum() / beta[t]",
    ),
    edit(
        "writes-the-value",
        "the step adds the value v, not the error u",
        "What does β_t multiply in the line for S_t?",
        "(p * u[t]).sum() -> (p * v[t]).sum()",
    ),
]


def forward(q, k, v, alpha, beta):
    S, outs = np.zeros((q.shape[1], v.shape[1])), []
    for t in range(len(q)):
        A = alpha[t] * S
        u = v[t] - engine.matvec(engine.swapaxes(A, 0, 1), k[t])
        S = A + beta[t] * engine.outer(k[t], u)
        outs.append(engine.matvec(engine.swapaxes(S, 0, 1), q[t]))
    return engine.stack(outs)


def gated_delta_backward(g, q, k, v, alpha, beta):
    zero = np.zeros((q.shape[1], v.shape[1]), q.dtype)
    S, u = [zero], []
    for t in range(len(q)):
        A = alpha[t] * S[t]
        u.append(v[t] - A.T @ k[t])
        S.append(A + beta[t] * np.outer(k[t], u[t]))
    dq, dk, dv = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    dalpha, dbeta = np.empty_like(alpha), np.empty_like(beta)
    R = zero
    for t in reversed(range(len(q))):
        R = R + np.outer(q[t], g[t])
        dq[t] = S[t + 1] @ g[t]
        A = alpha[t] * S[t]
        p = R.T @ k[t]
        dbeta[t] = (p * u[t]).sum()
        du = dv[t] = beta[t] * p
        dk[t] = beta[t] * (R @ u[t]) - A @ du
        dA = R - np.outer(k[t], du)
        dalpha[t] = (dA * S[t]).sum()
        R = alpha[t] * dA
    return dq, dk, dv, dalpha, dbeta
