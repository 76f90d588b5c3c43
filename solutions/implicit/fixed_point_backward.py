"""Differentiate the equation, not the solver. With s = 1 - z², the slope of tanh at the solution,

    z = tanh(W z + U x)    gives    dz = s * (W dz + dW z + dU x + U dx)

dz stands on both sides: (I - J) dz = s * (dW z + dU x + U dx), where J = diag(s) W is the Jacobian of one iteration.
So g·dz = λ·(s * (...)) with

    (I - J)ᵀ λ = g

one linear solve with the transpose. Put q = λ * s and read off: dW = q zᵀ, dU = q xᵀ, dx = Uᵀ q.

Unrolling k iterations and differentiating them computes the Neumann series λ = g + Jᵀ g + Jᵀ² g + ..., k terms of it,
and keeps k states. The solve keeps one, whatever the solver was. It costs O(n³) here; large layers solve for λ by
iterating λ = Jᵀ λ + g, each step one VJP of the layer, which a framework has at hand.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Do not differentiate the loop: differentiate the equation its result satisfies. Where does dz stand in it?",
    "Collect dz on one side: (I - J) dz = ..., J = diag(1 - z²) W. The cotangent is pulled back by the transpose.",
    "Solve (I - Jᵀ) λ = g, then put q = λ * (1 - z²): all three results are products with q.",
)
WRT = ("W", "U", "x")


def contraction(rng, shape, sizes):
    W = rng.normal(size=shape)
    return 0.7 * W / max(1e-9, np.linalg.norm(W, 2)) if W.size else W


CASES = [
    given("W[n,n] U[n,m] x[m]", W=contraction, empty=False),
    given("W[n,n] U[n,m] x[m]", W=lambda rng, shape, sizes: np.zeros(shape), empty=False, large=False, note="W = 0"),
]
EQUIVALENT = {
    "operand: len(z) -> ...": "W is square, and z, g and the rows of U are as many",
    "transpose: U.T @ q -> U.T @ q.T": "q has one axis",
    "transpose: U.T @ q -> (U.T @ q).T": "it has one axis",
}


# The engine differentiates a step of Newton's: from a point that satisfies the equation, that is exact.
def forward(W, U, x):
    z = converged(*(np.asarray(getattr(a, "data", a), dtype=float) for a in (W, U, x)))
    step = engine.tanh(engine.matvec(W, z) + engine.matvec(U, x)) - z
    return z + engine.solve(np.eye(len(z)) - (1 - z**2)[:, None] * W, step)


def converged(W, U, x):
    z = np.zeros(len(W))
    for _ in range(100):
        z = np.tanh(W @ z + U @ x)
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
