"""Forward mode runs through the forward line by line and writes a line for the tangent after each line. Let D, dA and
dB be the tangents of X, A and B.

The norm comes first. The tangent of |x| is ⟨x, dx⟩/|x| = ⟨X, dx⟩, with ⟨a, b⟩ = Σ_ij a_ij b_ij. The quotient rule gives

    D = (dx - X ⟨X, dx⟩)/|x|

D is dx without its part along x, divided by the norm. If dx is a multiple of x, then D is 0, so the tangent of the
result is 0: the scale of x does not matter.

Write a, b and c for the coefficients 3.4445, -4.775 and 2.0315. In each step, the tangent of a product of two moving
matrices has two terms, and the factors keep their order:

    A = X Xᵀ              dA = D Xᵀ + X Dᵀ
    B = b A + c A A       dB = b dA + c (dA A + A dA)
    X ← a X + B X         D ← a D + B D + dB X

dA is symmetric, because A is. A and dA do not commute in general, so dA A + A dA is not 2 A dA. The last line reads the
X from before the step, so compute the new D before you overwrite X.

Cost: a step of the forward takes three matrix products, X Xᵀ, A A and B X. The tangent takes two more products for dA,
or one product and a transpose. dB takes two more products, and D takes two. So value and tangent together cost about
three times the forward. Nothing is kept from step to step, whereas reverse mode keeps X and A of each step, or
recomputes them.

PyTorch: `torch.func.jvp` does the same with dual numbers, and agrees with this solution. `torch.optim.Muon` runs the
iteration under `no_grad` in bfloat16, because the optimiser's step is not differentiated. Only methods that
differentiate through the training, such as learned learning rates, need this tangent.

Asked next:

- You need the VJP of this function. Can you reuse the loop? → Yes. All steps together apply an odd polynomial to the
  singular values. Such a map is the gradient of a scalar function, so its Jacobian is symmetric. Run the same loop on g
  in place of D, starting from X = x/|x|, and apply the projection and the factor 1/|x| at the end. The loop needs no
  saved X.
- Why is 1 not a fixed point of the polynomial? → The coefficients sum to 0.701, so a singular value of 1 moves to
  0.701. The coefficients were chosen for a steep slope at 0: a small singular value grows by a factor of about 3.4 in
  each step. The price is that the singular values only come near to 1.
- An exact iteration would end at the polar factor U Vᵀ. What is the tangent of U Vᵀ? → For square x = U S Vᵀ the
  tangent is U K Vᵀ, with K_ij = (Uᵀ dx V - Vᵀ dxᵀ U)_ij/(s_i + s_j). The tangent is ill-conditioned if two singular
  values are near 0.
- How large can the tangent become along a tiny singular value? → As long as the singular value stays small, each step
  multiplies the tangent by about 3.4445, so five steps multiply it by up to 485. Rounding errors grow by the same
  factor.
"""

import numpy as np

from autodrill.drills import edit, given, mistake

HINTS = (
    "Each line of the forward has moving factors. How many terms does the tangent of a product of two matrices have?",
    (
        "Start from dx without its part along x, divided by the norm. Then push a tangent through each line, in the "
        "same order."
    ),
    (
        "In the loop, compute `dA = ... + X @ D.T`, then B and dB. Assign X and D in one statement, so that both use "
        "the old X."
    ),
)
EQUIVALENT = {"transpose: ...": "A, B and their tangents are symmetric"}
CASES = [
    given("x[m,n]", steps=0, note="only the norm"),
    given("x[m,n]", steps=1),
    given("x[2,3]", steps=5),
    given("x[3,3]", steps=5, note="a square matrix"),
    given("x[4,2]", steps=2, note="a tall matrix"),
    given("x[2,4]", x=3.0, g=1.0, steps=2, note="dx along x"),
]


def forward(x, steps):
    X = x / ((x * x).sum()) ** 0.5
    for _ in range(steps):
        A = X @ X.T
        X = 3.4445 * X + (2.0315 * A @ A - 4.775 * A) @ X
    return X


def newton_schulz_jvp(x, dx, steps):
    a, b, c = 3.4445, -4.775, 2.0315
    norm = np.sqrt((x * x).sum())
    X = x / norm
    D = (dx - X * (X * dx).sum()) / norm
    for _ in range(steps):
        A = X @ X.T
        dA = D @ X.T + X @ D.T
        B = b * A + c * (A @ A)
        dB = b * dA + c * (dA @ A + A @ dA)
        X, D = a * X + B @ X, a * D + B @ D + dB @ X
    return D


MISTAKES = [
    edit(
        "norm-constant",
        "the norm of x is a constant",
        "If dx = x, the result must not move. What does your code return then?",
        "(dx - X * (X * dx).sum()) / norm -> dx / norm",
    ),
    edit(
        "one-side",
        "the tangent of X Xᵀ is dX Xᵀ",
        "A is symmetric at all times. Is your dA symmetric?",
        "D @ X.T + X @ D.T -> D @ X.T",
    ),
    edit(
        "doubled-side",
        "the tangent of X Xᵀ is 2 dX Xᵀ, as for numbers",
        "A is symmetric at all times. Is your dA symmetric?",
        "D @ X.T + X @ D.T -> 2 * D @ X.T",
    ),
    edit(
        "commuting-square",
        "the tangent of A A is 2 A dA, as for numbers",
        "Write out (A + dA)(A + dA). Do A and dA commute?",
        "(dA @ A + A @ dA) -> (2 * A @ dA)",
    ),
    edit(
        "half-a-square",
        "the tangent of A A is A dA",
        "Write out (A + dA)(A + dA). How many terms contain dA once?",
        "(dA @ A + A @ dA) -> (A @ dA)",
    ),
    edit(
        "polynomial-frozen",
        "B is a constant coefficient",
        "B was computed from X. Does B stand still while X moves?",
        "B @ D + dB @ X -> B @ D",
    ),
    edit(
        "only-dB",
        "the tangent of B X is dB X",
        "B X is a product. Which of its two factors does your tangent hold still?",
        "a * D + B @ D + dB @ X -> a * D + dB @ X",
    ),
    edit(
        "linear-term-dropped",
        "the term 3.4445 X has no tangent",
        "If X moves by D, by how much does 3.4445 X move?",
        "a * D + B @ D -> B @ D",
    ),
    edit(
        "new-X",
        "the tangent uses X after the step",
        "From which X did the forward compute B X?",
        "X, D = a * X + B @ X, a * D + B @ D + dB @ X -> X = a * X + B @ X; D = a * D + B @ D + dB @ X",
    ),
    edit(
        "no-1/norm",
        "the tangent needs no division by the norm of x",
        "If x is 10 times as long, how much does X turn for the same dx?",
        "X * (X * dx).sum()) / norm -> X * (X * dx).sum())",
    ),
    edit(
        "x-for-X",
        "x can take the place of the normalised X in the projection",
        "The part of dx along x cannot be longer than dx. How long is x·⟨X, dx⟩ if x is very long?",
        "(dx - X * -> (dx - x *",
    ),
]


@mistake(
    "forward-of-dx",
    "the iteration is linear, so it can be applied to dx",
    "What does the forward return for 2x? Is this twice as large as the result for x?",
)
def newton_schulz_jvp(x, dx, steps):
    X = dx / np.sqrt((x * x).sum())
    for _ in range(steps):
        A = X @ X.T
        X = 3.4445 * X + (2.0315 * A @ A - 4.775 * A) @ X
    return X
