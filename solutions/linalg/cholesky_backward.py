"""Differentiate A = L Lᵀ, with a dot for a small change: Ȧ = L̇ Lᵀ + L L̇ᵀ. Multiply by L⁻¹ from the left and by L⁻ᵀ
from the right:

    L⁻¹ Ȧ L⁻ᵀ = L⁻¹ L̇ + (L⁻¹ L̇)ᵀ

L⁻¹ L̇ is lower triangular. The right side is therefore a lower triangle plus its mirror image, and the two share the
diagonal. To recover the triangle, take the lower triangle of the sum and *halve* its diagonal. Call this projection Φ:

    L̇ = L Φ(L⁻¹ Ȧ L⁻ᵀ)

This is forward mode. For reverse mode transpose each step, last first. The transpose of "L times" is "Lᵀ times". Φ
weights each entry by itself, so it is its own transpose. The transpose of X ↦ L⁻¹ X L⁻ᵀ is Y ↦ L⁻ᵀ Y L⁻¹. Together:

    S = L⁻ᵀ Φ(Lᵀ g) L⁻¹

A always stays symmetric, so only the symmetric part of S has a meaning: dA = (S + Sᵀ)/2. In the 1x1 case the factor is
l = √a, and the half on the diagonal is the 1/2 of da = g/(2l).

Cost: one product and two solves with n right-hand sides, no inverse. That is about 3n³ operations if the code exploits
the triangles, compared with n³/3 for the factorisation. Only L is saved. `np.linalg.solve` does not know that Lᵀ is
triangular and factors it, which costs more but is correct.

PyTorch: `LinalgCholeskyExBackward0` saves only L and computes this formula with triangular solves (Iain Murray,
"Differentiation of the Cholesky decomposition", 2016). It returns a symmetric dA, for complex A a Hermitian one.

Asked next:

- The loss is log det A = 2 Σ log l_ii. What does your formula give? → g is diag(2 / l_ii), so the lower triangle of Lᵀ
  g is 2 on the diagonal and 0 below it. Φ turns this into I, and S = L⁻ᵀ L⁻¹ = A⁻¹, as it must be.
- Why need you not clear g above the diagonal? → Lᵀ is upper triangular, and its product with a strictly upper
  triangular matrix is strictly upper triangular. Taking the lower triangle removes that product.
- Finite differences of `np.linalg.cholesky`, entry by entry, disagree with dA. Which result is right? → Both. NumPy
  reads only the lower triangle, so moving A[1, 0] also moves its mirror image. The differences are 2 dA below the
  diagonal and 0 above it. Check the function of (A + Aᵀ)/2 instead.
- A is nearly singular. What does the gradient do? → It can grow like 1/λ for the smallest eigenvalue λ, because S has
  L⁻¹ on both sides and ‖L⁻¹‖² = 1/λ. Factoring A + εI instead bounds this by 1/ε, but it is another function.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    (
        "Write A = L Lᵀ with small changes on both sides. Multiply the equation by L⁻¹ from the left and by L⁻ᵀ from "
        "the right."
    ),
    "Take the lower triangle of Lᵀg and halve its diagonal. Put it between L⁻ᵀ and L⁻¹; then take the symmetric part.",
    "Subtract half of `np.diag(np.diag(...))` from `np.tril(...)`. Solve with `L.T`, then again on a transpose.",
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
    "transpose: np.linalg.solve(L.T, P.T) -> np.linalg.solve(L.T, P)": "it gives S.T, which leaves S + S.T unchanged",
    "transpose: (S + S.T) / 2 -> ((S + S.T) / 2).T": "the matrix is symmetric",
}


def forward(A):
    # Finite differences move one entry of A at a time, so the factor must be a function of the symmetric part.
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
    "the triangle and its mirror image do not share the diagonal",
    "Work out the 1x1 case by hand: l = √a. What is its slope, and what does your code give?",
)
def cholesky_backward(g, L):
    S = sandwich(np.tril(L.T @ g), L)
    return (S + S.T) / 2


@mistake(
    "no-tril",
    "the formula needs no projection onto a triangle",
    "L can move only within its lower triangle. Where does your formula use that?",
)
def cholesky_backward(g, L):
    S = sandwich(L.T @ g, L)
    return (S + S.T) / 2


@mistake(
    "not-symmetrised",
    "an entry of A may move without its mirror image",
    "A is symmetric. How must dA[0, 1] and dA[1, 0] be related?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    return sandwich(P - np.diag(np.diag(P)) / 2, L)


@mistake(
    "triangle-of-g",
    "the projection applies to g itself",
    "Which matrix must become lower triangular: g, or L⁻¹ times the change of L?",
)
def cholesky_backward(g, L):
    g = np.tril(g)
    P = L.T @ (g - np.diag(np.diag(g)) / 2)
    S = sandwich(P, L)
    return (S + S.T) / 2


@mistake(
    "upper-triangle",
    "the projection keeps the upper triangle",
    "L can move only within its lower triangle. In which half of your matrix are those moves?",
)
def cholesky_backward(g, L):
    P = np.triu(L.T @ g)
    S = sandwich(P - np.diag(np.diag(P)) / 2, L)
    return (S + S.T) / 2


@mistake(
    "one-triangle",
    "dA is a lower triangle that holds both entries of each pair",
    "A is a full matrix. How must dA[0, 1] and dA[1, 0] be related?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    S = sandwich(P - np.diag(np.diag(P)) / 2, L)
    return np.tril(S + S.T) - np.diag(np.diag(S))
