"""Differentiate the equation, not the solver. With s = 1 - z², the slope of tanh at the solution,

    z = tanh(W z + U x)
    dz = s * (W dz + dW z + dU x + U dx)

dz occurs on both sides. Collecting it on the left gives (I - J) dz = s * (dW z + dU x + U dx), where J = diag(s) W is
the Jacobian of one iteration. The change of the loss is g·dz = λ·(s * (dW z + dU x + U dx)), where λ solves

    (I - J)ᵀ λ = g

This is one linear solve with the transpose. Let q = λ * s. The gradients are dW = q zᵀ, dU = q xᵀ and dx = Uᵀ q.

Unrolling k iterations from the solution and differentiating them computes the first k terms of the Neumann series of λ,
which begins with g + Jᵀ g + Jᵀ² g. An unrolled loop that starts elsewhere uses the Jacobian and the state of each
iteration, not those of the solution.

Cost: O(n³) for the solve here, with J and I - Jᵀ as (n, n) arrays. Large layers find λ by iterating λ = Jᵀ λ + g. Each
step is one VJP of the layer, O(n²), and J is never formed. The forward saves one state, however many iterations it
took; an unrolled loop saves one per iteration.

PyTorch: Autograd differentiates the iterations that were recorded. To get λ instead, find z under `no_grad` and take
one more step with a graph. Register a hook on that step's result that replaces g by λ; the step's own backward then
does the rest. The hook gets its VJPs from a second step, recorded from a detached copy of z that requires a gradient.

Asked next:

- Does λ = Jᵀ λ + g converge whenever the forward iteration did? → Jᵀ has the eigenvalues of J. If their moduli at z are
  below 1, the plain iteration converges to z from nearby, and the iteration for λ converges at the same rate. If
  Newton's method found z, the moduli may be larger; then solve the system.
- You stopped early, at a residual ε = ‖f(z) - z‖. How wrong is the gradient? → If f contracts by a factor L < 1, z is
  off by at most ε / (1 - L). The formula is smooth in z, so the gradient is off in proportion. It is not the gradient
  of the loop that you ran either, so a gradient check needs a tolerance of that size.
- What do you lose by taking λ = g, without a solve? → You lose all terms from Jᵀ g on. For ‖J‖ < 1 the error is at most
  ‖J‖ ‖g‖ / (1 - ‖J‖). This costs one VJP and is accurate only if the layer contracts strongly.
- What does it mean if I - J is singular? → The implicit function theorem does not apply. When W moves slightly, z may
  split in two or cease to exist. Near such a point λ grows without bound, for almost every g.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Do not differentiate the loop. Differentiate the equation that its result satisfies. Where does dz occur in it?",
    "Collect dz on one side: (I - J) dz = ..., with J = diag(1 - z²) W. The transpose pulls the cotangent back.",
    "Solve (I - Jᵀ) λ = g, then set q = λ * (1 - z²). All three results are products with q.",
)
WRT = ("W", "U", "x")


def contraction(rng, shape, sizes):
    W = rng.normal(size=shape)
    return 0.7 * W / max(1e-9, np.linalg.norm(W, 2)) if W.size else W


# The more slowly a layer contracts, the more terms of the series count. Here a thousandth of λ comes after the 100th.
def slow(rng, shape, sizes):
    W = rng.normal(size=shape)
    return 0.93 * W @ W.T / max(1e-9, np.linalg.norm(W, 2) ** 2)


def zeros(rng, shape, sizes):
    return np.zeros(shape)


# A submission may end the series at an absolute precision, so no case has a tiny cotangent.
CASES = [
    given("W[n,n] U[n,m] x[m]", W=contraction, empty=False, scaled=False),
    given(
        "W[n,n] U[n,m] x[m]", W=slow, x=normal(0.01), empty=False, large=False, scaled=False, note="slow convergence"
    ),
    given("W[n,n] U[n,m] x[m]", W=zeros, empty=False, large=False, scaled=False, note="W = 0"),
]
EQUIVALENT = {
    "operand: len(z) -> ...": "z, g, both axes of W and the rows of U have the same length",
    "transpose: U.T @ q -> U.T @ q.T": "q has one axis",
    "transpose: U.T @ q -> (U.T @ q).T": "the result has one axis",
}


# The engine differentiates one Newton step. From a point that satisfies the equation, this is exact.
def forward(W, U, x):
    z = converged(*(np.asarray(getattr(a, "data", a)) for a in (W, U, x)))
    step = engine.tanh(engine.matvec(W, z) + engine.matvec(U, x)) - z
    return z + engine.solve(np.eye(len(z), dtype=z.dtype) - (1 - z**2)[:, None] * W, step)


def converged(W, U, x):
    z, pushed = np.zeros(len(W), W.dtype), U @ x
    for _ in range(50):
        z = np.tanh(W @ z + pushed)
    for _ in range(3):  # a Newton step squares the error
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
    "the gradient passes through the last iteration only",
    "z is both the input and the output of the iteration. If you move z slightly, what does the next iteration do?",
)
def fixed_point_backward(g, z, W, U, x):
    q = g * (1 - z**2)
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "no-transpose",
    "the cotangent solves the same system as dz",
    "The system of dz has the matrix I - J. Which matrix does its adjoint have?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - slope[:, None] * W, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "activation-slope",
    "λ multiplies z, x and U directly",
    "Between W z + U x and z there is a tanh. What does the tanh do to λ?",
)
def fixed_point_backward(g, z, W, U, x):
    J = (1 - z**2)[:, None] * W
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - J.T, g)
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "two-terms",
    "two terms of the series are enough",
    "λ = g + Jᵀ g + Jᵀ Jᵀ g + ...: which equation does the whole sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = (g + W.T @ (slope * g)) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "ten-terms",
    "ten terms of the series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the whole sum solve?",
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
    "z_i = tanh(Σ_j W_ij z_j + ...): whose slope multiplies W_ij, that of i or that of j?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - (W * slope).T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "tanh-again",
    "z is the input of tanh",
    "Is z the input of tanh or its output? Which formula gives the slope from that?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - np.tanh(z) ** 2
    J = slope[:, None] * W
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - J.T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q
