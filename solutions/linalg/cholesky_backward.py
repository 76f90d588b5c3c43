"""The Cholesky factor L satisfies A = L Lᵀ. Differentiate this equation, with a dot for a small change: Ȧ = L̇ Lᵀ + L
L̇ᵀ. Multiply by L⁻¹ from the left and by L⁻ᵀ from the right:

    L⁻¹ Ȧ L⁻ᵀ = L⁻¹ L̇ + (L⁻¹ L̇)ᵀ

L⁻¹ L̇ is lower triangular. The right side is therefore a lower triangle plus its mirror image, and the two share the
diagonal. To recover L⁻¹ L̇, take the lower triangle of the sum and *halve* its diagonal. Call this operation Φ:

    L̇ = L Φ(L⁻¹ Ȧ L⁻ᵀ)

This formula is forward mode. For reverse mode, transpose each step, in reverse order. The transpose of multiplying by L
is multiplying by Lᵀ. Φ scales each entry separately, so Φ is its own transpose. The transpose of X ↦ L⁻¹ X L⁻ᵀ is Y ↦
L⁻ᵀ Y L⁻¹. Together:

    S = L⁻ᵀ Φ(Lᵀ g) L⁻¹

A is always symmetric, so only the symmetric part of S has a meaning: dA = (S + Sᵀ)/2. In the 1x1 case the factor is l =
√a, and da = g/(2l). The 1/2 in da comes from halving the diagonal.

Cost: one matrix product and two solves with n right-hand sides each, without an inverse. Backward takes about 3n³
operations if the code exploits the triangles, compared with n³/3 for the factorisation. Only L is saved.
`np.linalg.solve` does not know that Lᵀ is triangular, so it factors Lᵀ. Factoring Lᵀ costs more but is correct.

PyTorch: `LinalgCholeskyExBackward0` saves only L and computes this formula with triangular solves (Iain Murray,
"Differentiation of the Cholesky decomposition", 2016). The node returns a symmetric dA, or a Hermitian dA if A is
complex.

Asked next:

- The loss is log det A = 2 Σ log l_ii. What does your formula give for dA? → g is diag(2 / l_ii), so the lower triangle
  of Lᵀ g is 2 on the diagonal and 0 below it. Φ turns this into I, and S = L⁻ᵀ L⁻¹ = A⁻¹, as it must be.
- Why is it not necessary to clear g above the diagonal? → The entries of g above the diagonal form a strictly upper
  triangular matrix. Lᵀ is upper triangular, so the product of Lᵀ and this matrix is strictly upper triangular too.
  Taking the lower triangle removes that product.
- Finite differences of `np.linalg.cholesky`, entry by entry, disagree with dA. Which result is right? → Both are right.
  NumPy reads only the lower triangle, so a change of A[1, 0] acts like the same change of both A[1, 0] and A[0, 1].
  Finite differences therefore give 2 dA below the diagonal and 0 above it. Take finite differences of the factor of (A
  + Aᵀ)/2 instead.
- A is nearly singular. What does the gradient do? → The gradient can grow like 1/λ, with λ the smallest eigenvalue of
  A. The reason is that S contains both L⁻ᵀ and L⁻¹, and ‖L⁻¹‖² = 1/λ. Factoring A + εI instead bounds this growth by
  1/ε, but the forward is then a different function.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    ("Differentiate A = L Lᵀ with the product rule. Multiply the result by L⁻¹ from the left and L⁻ᵀ from the right."),
    (
        "Take the lower triangle of Lᵀg and halve its diagonal. Put this matrix between L⁻ᵀ and L⁻¹. Take the "
        "symmetric part."
    ),
    "Subtract half of `np.diag(np.diag(...))` from `np.tril(...)`. Solve with `L.T`, transpose, and solve again.",
)


def positive_definite(rng, shape, _):
    m = rng.normal(size=shape)
    return m @ m.T + shape[0] * np.eye(shape[0])


CASES = [
    given("A[n,n]", A=positive_definite, large={"n": 200}, nan=False),
    given("A[2,2]", A=positive_definite, note="2x2"),
    given("A[4,4]", A=positive_definite, note="4x4"),
]


EQUIVALENT = {
    "transpose: np.linalg.solve(L.T, P.T) -> np.linalg.solve(L.T, P)": "this gives S.T, which leaves S + S.T unchanged",
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
    "Work out the 1x1 case by hand: l = √a. What is dl/da, and what does your code give?",
)
def cholesky_backward(g, L):
    S = sandwich(np.tril(L.T @ g), L)
    return (S + S.T) / 2


@mistake(
    "no-tril",
    "it is not necessary to take a lower triangle",
    "L is lower triangular, so no entry above its diagonal can change. Where does your formula use this fact?",
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
    "the formula takes the lower triangle of g itself",
    "Of which matrix must you take the lower triangle: g or Lᵀ g?",
)
def cholesky_backward(g, L):
    g = np.tril(g)
    P = L.T @ (g - np.diag(np.diag(g)) / 2)
    S = sandwich(P, L)
    return (S + S.T) / 2


@mistake(
    "upper-triangle",
    "the formula keeps the upper triangle",
    "L is lower triangular, so no entry above its diagonal can change. Which triangle of L.T @ g must remain?",
)
def cholesky_backward(g, L):
    P = np.triu(L.T @ g)
    S = sandwich(P - np.diag(np.diag(P)) / 2, L)
    return (S + S.T) / 2


@mistake(
    "one-triangle",
    "dA is lower triangular, and each entry holds the sum of a symmetric pair",
    "A is a full matrix. How must dA[0, 1] and dA[1, 0] be related?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    S = sandwich(P - np.diag(np.diag(P)) / 2, L)
    return np.tril(S + S.T) - np.diag(np.diag(S))


@mistake(
    "sides-exchanged",
    "the formula has L⁻¹ on the left and L⁻ᵀ on the right",
    "The forward formula is L⁻¹ Ȧ L⁻ᵀ. What is its transpose as a function of Ȧ?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    S = np.linalg.solve(L, np.linalg.solve(L, (P - np.diag(np.diag(P)) / 2).T).T)
    return (S + S.T) / 2


@mistake(
    "free-factor",
    "every entry of L may move, not only those of the lower triangle",
    "L is lower triangular, so no entry above its diagonal can change. Where does your formula use this fact?",
)
def cholesky_backward(g, L):
    S = np.linalg.solve(L.T, np.tril(g).T).T / 2
    return (S + S.T) / 2


@mistake(
    "pairs-counted-twice",
    "dA[0, 1] and dA[1, 0] each hold the sum of S[0, 1] and S[1, 0]",
    "The loss moves by the sum of dA[i, j] · Ȧ[i, j] over all i and j. How many times does that sum count each pair?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    S = sandwich(P - np.diag(np.diag(P)) / 2, L)
    return S + S.T - np.diag(np.diag(S))


@mistake(
    "mirrored-triangle",
    "dA is the lower triangle of S with its mirror image",
    "S is not symmetric. What is the mean of S[1, 0] and S[0, 1]?",
)
def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    S = np.tril(sandwich(P - np.diag(np.diag(P)) / 2, L))
    return S + S.T - np.diag(np.diag(S))
