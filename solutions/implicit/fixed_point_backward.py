"""Differentiate the equation, not the solver. With s = 1 - z², the slope of tanh at the solution,

    z = tanh(W z + U x)    gives    dz = s * (W dz + dW z + dU x + U dx)

dz stands on both sides: (I - J) dz = s * (dW z + dU x + U dx), where J = diag(s) W is the Jacobian of one iteration.
So g·dz = λ·(s * (...)) with

    (I - J)ᵀ λ = g

one linear solve with the transpose. Put q = λ * s and read off: dW = q zᵀ, dU = q xᵀ, dx = Uᵀ q.

Unrolling k iterations from the solution on and differentiating them computes the first k terms of the Neumann series
λ = g + Jᵀ g + Jᵀ² g + ...; started elsewhere, it has the Jacobian and the state of each iteration in their place.

Cost: O(n³) for the solve here, with J and I - Jᵀ as (n, n) arrays. Large layers find λ by iterating λ = Jᵀ λ + g: each
step is one VJP of the layer, O(n²), and J is never formed. Of the forward one state is kept, however many iterations it
took, where an unrolled loop keeps one for each.

PyTorch: Autograd differentiates the iterations that were recorded. To get λ instead, find z under `no_grad`, take one
more step with a graph, and register a hook on its result that replaces g by λ: the step's own backward then does the
rest. The hook gets its VJPs from a second step, recorded from a detached copy of z that requires a gradient.

Asked next:

- Does λ = Jᵀ λ + g converge whenever the forward iteration did? → Jᵀ has the eigenvalues of J. If their moduli at z are
  below 1, which is what draws the plain iteration to z, it converges at the same rate. A z that was found by Newton's
  method may have larger ones; then solve the system.
- You stopped early, at a residual ε = ‖f(z) - z‖. How wrong is the gradient? → If f contracts by the factor L < 1, z is
  off by at most ε / (1 - L), and the formula, smooth in z, in proportion. It is then not the gradient of the loop you
  ran either, so a gradient check needs a tolerance of that size.
- What do you lose by taking λ = g, without a solve? → All terms from Jᵀ g on: for ‖J‖ < 1 the error is at most
  ‖J‖ ‖g‖ / (1 - ‖J‖). It costs one VJP, and is good only where the layer contracts strongly.
- What does it mean if I - J is singular? → The implicit function theorem does not apply: when W moves a little, z may
  split in two or cease to exist. On the way there λ grows without bound, for almost every g.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Do not differentiate the loop: differentiate the equation its result satisfies. Where does dz stand in it?",
    "Collect dz on one side: (I - J) dz = ..., J = diag(1 - z²) W. The cotangent is pulled back by the transpose.",
    "Solve (I - Jᵀ) λ = g, then put q = λ * (1 - z²): all three results are products with q.",
)
WRT = ("W", "U", "x")


def contraction(rng, shape, sizes):
    W = rng.normal(size=shape)
    return 0.7 * W / max(1e-9, np.linalg.norm(W, 2)) if W.size else W


# The slower a layer contracts, the more terms of the series count: here a thousandth of λ comes after the hundredth.
def slow(rng, shape, sizes):
    W = rng.normal(size=shape)
    return 0.93 * W @ W.T / max(1e-9, np.linalg.norm(W, 2) ** 2)


def zeros(rng, shape, sizes):
    return np.zeros(shape)


# A series may end at an absolute precision, so that no cotangent is tiny.
CASES = [
    given("W[n,n] U[n,m] x[m]", W=contraction, empty=False, scaled=False),
    given(
        "W[n,n] U[n,m] x[m]", W=slow, x=normal(0.01), empty=False, large=False, scaled=False, note="it converges slowly"
    ),
    given("W[n,n] U[n,m] x[m]", W=zeros, empty=False, large=False, scaled=False, note="W = 0"),
]
EQUIVALENT = {
    "operand: len(z) -> ...": "W is square, and z, g and the rows of U are as many",
    "transpose: U.T @ q -> U.T @ q.T": "q has one axis",
    "transpose: U.T @ q -> (U.T @ q).T": "it has one axis",
}


# The engine differentiates a step of Newton's: from a point that satisfies the equation, that is exact.
def forward(W, U, x):
    z = converged(*(np.asarray(getattr(a, "data", a)) for a in (W, U, x)))
    step = engine.tanh(engine.matvec(W, z) + engine.matvec(U, x)) - z
    return z + engine.solve(np.eye(len(z), dtype=z.dtype) - (1 - z**2)[:, None] * W, step)


def converged(W, U, x):
    z, pushed = np.zeros(len(W), W.dtype), U @ x
    for _ in range(50):
        z = np.tanh(W @ z + pushed)
    for _ in range(3):  # Newton's steps square what is left
        s = np.tanh(W @ z + pushed)
        z = z + np.linalg.solve(np.eye(len(z), dtype=z.dtype) - (1 - s**2)[:, None] * W, s - z)
    return z


def saved(W, U, x):
    return {"z": converged(*(a.astype(float) for a in (W, U, x))).astype(W.dtype)}


def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    J = slope[:, None] * W
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - J.T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "one-step",
    "it is enough to back-propagate the last iteration",
    "The fixed point feeds itself: move it a little, and what does the next iteration do with that?",
)
def fixed_point_backward(g, z, W, U, x):
    q = g * (1 - z**2)
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "no-transpose",
    "the cotangent solves the system that dz solves",
    "Forwards I - J. What does the adjoint of it look like?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - slope[:, None] * W, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "activation-slope",
    "λ itself meets z, x and U",
    "Between W z + U x and z there is still a tanh. What does it do to λ?",
)
def fixed_point_backward(g, z, W, U, x):
    J = (1 - z**2)[:, None] * W
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - J.T, g)
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "two-terms",
    "two terms of the series are enough",
    "λ = g + Jᵀ g + Jᵀ Jᵀ g + ...: which equation does the sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = (g + W.T @ (slope * g)) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "ten-terms",
    "ten terms of the series are enough",
    "How fast do the terms shrink if J hardly shrinks anything? What do you compute if z took a thousand iterations?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(10):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "slope-on-columns",
    "the slope of tanh scales the columns of W",
    "z_i = tanh(Σ_j W_ij z_j + ...): by whose slope is W_ij multiplied, that of i or that of j?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - (W * slope).T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "tanh-again",
    "z is what tanh is taken of",
    "Is z what goes into tanh, or what comes out? Which formula of its slope asks for which?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - np.tanh(z) ** 2
    J = slope[:, None] * W
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - J.T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q
