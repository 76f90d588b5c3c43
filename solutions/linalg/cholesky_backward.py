"""Differentiate A = L Lᵀ, a dot for a small change: Ȧ = L̇ Lᵀ + L L̇ᵀ. Multiply by L⁻¹ from the left, L⁻ᵀ from the right:

    L⁻¹ Ȧ L⁻ᵀ = L⁻¹ L̇ + (L⁻¹ L̇)ᵀ

L⁻¹ L̇ is lower triangular, so on the right stand a lower triangle and its mirror image, which share the diagonal.
To get the first alone, take the lower triangle and *halve* the diagonal; call that projection Φ:

    L̇ = L Φ(L⁻¹ Ȧ L⁻ᵀ)

This is forward mode. For reverse mode transpose each step, last first. The transpose of "L times" is "Lᵀ times", Φ is
its own transpose as it weighs each entry by itself, and the sandwich turns inside out:

    S = L⁻ᵀ Φ(Lᵀ g) L⁻¹

A stays symmetric whatever happens to it, so of S only the symmetric part means anything: dA = (S + Sᵀ)/2. In the 1x1
case all of this is l = √a, and the half on the diagonal is the 1/2 of da = g/(2l).

Cost: One product and two solves with n right-hand sides, no inverse: about 3n³ operations if the triangles are made use
of, beside n³/3 for the factorisation. L is all that is kept. `np.linalg.solve` does not know that Lᵀ is triangular and
factors it, which costs more but is right.

PyTorch: `LinalgCholeskyExBackward0` saves L only and computes this formula, with triangular solves (Iain Murray,
"Differentiation of the Cholesky decomposition", 2016). It returns a symmetric dA, for complex A a Hermitian one.

Asked next:

- The loss is log det A = 2 Σ log l_ii. What does your formula give? → g is diag(2 / l_ii), so the lower triangle of
  Lᵀ g is 2 on the diagonal and 0 below; Φ makes it I, and S = L⁻ᵀ L⁻¹ = A⁻¹, as it must be.
- Why need you not clear g above the diagonal? → Lᵀ is upper triangular, and times something strictly upper triangular
  it stays strictly upper triangular. Taking the lower triangle removes that.
- Finite differences of `np.linalg.cholesky`, entry by entry, disagree with dA. Who is right? → Both. It reads the lower
  triangle only, so to move A[1, 0] is to move its mirror image too: the differences are 2 dA below the diagonal and 0
  above. Check the function of (A + Aᵀ)/2.
- A is nearly singular. What does the gradient do? → It can grow like 1/λ for the smallest eigenvalue λ, since S has L⁻¹
  on both sides and ‖L⁻¹‖² = 1/λ. Factoring A + εI instead bounds that by 1/ε, and is another function.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Write A = L Lᵀ with small changes on both sides, and bring L to the left and to the right of A's change.",
    (
        "Lᵀg, lower triangle with the diagonal halved, between an inverse transposed L and an inverse L; then the "
        "symmetric part."
    ),
    "`np.tril` minus half of `np.diag(np.diag(...))`; two `np.linalg.solve` with `L.T`, the second on a transpose.",
)


def positive_definite(rng, shape, _):
    m = rng.normal(size=shape)
    return m @ m.T + shape[0] * np.eye(shape[0])


CASES = [
    given("A[n,n]", A=positive_definite, empty=False, large={"n": 200}),
    given("A[2,2]", A=positive_definite, note="2x2"),
    given("A[4,4]", A=positive_definite, note="4x4"),
]


EQUIVALENT = {
    "transpose: np.linalg.solve(L.T, P.T) -> np.linalg.solve(L.T, P)": "it gives S transposed: S + S.T is the same",
    "transpose: (S + S.T) / 2 -> ((S + S.T) / 2).T": "it is symmetric",
}


def forward(A):
    # Finite differences move one entry of A at a time; the factor is a function of the symmetric part.
    return engine.cholesky((A + A.T) / 2)


def saved(A):
    return {"L": np.linalg.cholesky(A)}


def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    P -= np.diag(np.diag(P)) / 2
    S = np.linalg.solve(L.T, np.linalg.solve(L.T, P.T).T)
    return (S + S.T) / 2


def sandwich(P, L):
    return np.linalg.solve(L.T, np.linalg.solve(L.T, P.T).T)


@mistake(
    "diagonal-not-halved",
    "the lower triangle and its mirror image do not share the diagonal",
    "Do the 1x1 case by hand: l = √a. What is its slope, and what is yours?",
)
def cholesky_backward(g, L):
    S = sandwich(np.tril(L.T @ g), L)
    return (S + S.T) / 2


@mistake(
    "no-tril",
    "no projection is needed",
    "L can only move within its lower triangle. Where in your formula does that come in?",
)
def cholesky_backward(g, L):
    S = sandwich(L.T @ g, L)
    return (S + S.T) / 2


@mistake(
    "not-symmetrised",
    "an entry of A may move without its mirror image",
    "A is symmetric. What should be true of dA[0, 1] and dA[1, 0]?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    return sandwich(P - np.diag(np.diag(P)) / 2, L)


@mistake(
    "triangle-of-g",
    "it is g that is projected",
    "Which matrix is the one that has to be made lower triangular: g, or L⁻¹ times the change of L?",
)
def cholesky_backward(g, L):
    g = np.tril(g)
    P = L.T @ (g - np.diag(np.diag(g)) / 2)
    S = sandwich(P, L)
    return (S + S.T) / 2


@mistake(
    "upper-triangle",
    "the upper triangle is the one to keep",
    "L can only move within its lower triangle. In which half of your matrix do those moves stand?",
)
def cholesky_backward(g, L):
    P = np.triu(L.T @ g)
    S = sandwich(P - np.diag(np.diag(P)) / 2, L)
    return (S + S.T) / 2


@mistake(
    "one-triangle",
    "the gradient has the lower triangle of L, with both shares of each pair",
    "A is a full matrix: what should be true of dA[0, 1] and dA[1, 0]?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    S = sandwich(P - np.diag(np.diag(P)) / 2, L)
    return np.tril(S + S.T) - np.diag(np.diag(S))
