"""Implicit differentiation differentiates the equation that z satisfies, not the solver. Let s = 1 - z², the slope of
tanh at the solution. Then

    z = tanh(W z + U x)
    dz = s * (W dz + dW z + dU x + U dx)

dz occurs on both sides. Collecting dz on the left gives (I - J) dz = s * (dW z + dU x + U dx), where J = diag(s) W is
the Jacobian of one iteration. The change of the loss is g·dz = λ·(s * (dW z + dU x + U dx)), where λ solves

    (I - J)ᵀ λ = g

Finding λ takes one linear solve with the transpose of I - J. Let q = λ * s. The gradients are dW = q zᵀ, dU = q xᵀ and
dx = Uᵀ q.

Suppose you unroll k iterations that start at the solution, and differentiate them. Then you compute the first k terms
of the Neumann series of λ. The series begins with g + Jᵀ g + (Jᵀ)² g. An unrolled loop that starts elsewhere uses the
Jacobian and the state of each iteration, not the Jacobian and the state at the solution.

Cost: the solve here takes O(n³) and forms J and I - Jᵀ as (n, n) arrays. Large layers find λ by iterating λ = Jᵀ λ + g.
Each iteration is one VJP of the layer, which takes O(n²), and J is never formed. The forward saves one state, however
many iterations it took. An unrolled loop saves one state per iteration.

PyTorch: Autograd differentiates the iterations that it recorded. To use λ instead, find z under `no_grad`, and take one
more step that autograd records. On the result of this step, register a hook that replaces g by λ. The step's own
backward then computes the gradients. The hook computes λ with VJPs of a second step, recorded from a detached copy of z
that requires a gradient.

Asked next:

- Does the iteration λ = Jᵀ λ + g converge whenever the forward iteration converged? → Jᵀ has the same eigenvalues as J.
  If every eigenvalue has a modulus below 1 at z, the forward iteration converges to z from nearby, and the iteration
  for λ converges at the same rate. If Newton's method found z, some eigenvalues may have a modulus above 1. Then solve
  the linear system instead.
- Let f(z) = tanh(W z + U x). You stopped its iteration early, at a residual ε = ‖f(z) - z‖. How wrong is the gradient?
  → If f contracts by a factor L < 1, z is off by at most ε / (1 - L). The gradient formula is smooth in z, so the error
  of the gradient is proportional to the error of z. The result also differs from the gradient of the loop that you ran,
  so a gradient check needs a tolerance of this size.
- What do you lose by taking λ = g, without a solve? → You lose all terms of the Neumann series from Jᵀ g on. If ‖J‖ <
  1, the error of λ is at most ‖J‖ ‖g‖ / (1 - ‖J‖). This shortcut costs one VJP and is accurate only if the layer
  contracts strongly.
- What does it mean if I - J is singular? → The implicit function theorem does not apply. When W changes slightly, the
  solution z may split in two or disappear. Near such a point, λ grows without bound for almost every g.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "Do not differentiate the loop. Differentiate the equation that z satisfies. Where does dz occur in this equation?",
    (
        "Collect dz on one side: (I - J) dz = ..., with J = diag(1 - z²) W. Which matrix does backward's linear "
        "system have?"
    ),
    "Solve (I - Jᵀ) λ = g, then set q = λ * (1 - z²). All three results are products with q.",
)
WRT = ("W", "U", "x")


def contraction(rng, shape, sizes):
    W = rng.normal(size=shape)
    return 0.7 * W / max(1e-9, np.linalg.norm(W, 2)) if W.size else W


# The more slowly a layer contracts, the more terms of the Neumann series matter. Here the terms after the 100th make up
# a thousandth of λ.
def slow(rng, shape, sizes):
    W = rng.normal(size=shape)
    return 0.93 * W @ W.T / max(1e-9, np.linalg.norm(W, 2) ** 2)


def zeros(rng, shape, sizes):
    return np.zeros(shape)


# A submission may truncate the series at an absolute tolerance, so no case has a tiny cotangent.
CASES = [
    given("W[n,n] U[n,m] x[m]", W=contraction, scaled=False),
    given("W[n,n] U[n,m] x[m]", W=slow, x=normal(0.01), large=False, scaled=False, note="slow convergence"),
    given("W[n,n] U[n,m] x[m]", W=zeros, large=False, scaled=False, note="W = 0"),
]


# The engine differentiates one Newton step. At a point that satisfies the equation, this derivative is exact.
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
    (
        "z is both the input and the output of the iteration. If you move z slightly, how does the next iteration's "
        "result move?"
    ),
)
def fixed_point_backward(g, z, W, U, x):
    q = g * (1 - z**2)
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "no-transpose",
    "the cotangent solves the same system as dz",
    "dz solves a system with the matrix I - J. Which matrix does the system for λ have?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - slope[:, None] * W, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "activation-slope",
    "λ multiplies z, x and U directly",
    "z is the tanh of W z + U x. What does the backward of tanh do to λ?",
)
def fixed_point_backward(g, z, W, U, x):
    J = (1 - z**2)[:, None] * W
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - J.T, g)
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "two-terms",
    "two terms of the Neumann series are enough",
    "λ is the infinite sum of g, Jᵀ g, Jᵀ Jᵀ g and so on. Which equation does λ solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = (g + W.T @ (slope * g)) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "ten-terms",
    "ten terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(10):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "fifty-terms",
    "fifty terms of the Neumann series are enough",
    "If J hardly contracts, how much smaller than one term is the next term? When may the loop stop?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(50):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "slope-on-columns",
    "the slope of tanh scales the columns of W",
    "z_i = tanh(Σ_j W_ij z_j + ...): is W_ij multiplied by the slope at i or by the slope at j?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - (W * slope).T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "tanh-again",
    "z is the input of tanh",
    "Is z the input or the output of tanh? Which formula gives the slope of tanh from z?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - np.tanh(z) ** 2
    J = slope[:, None] * W
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - J.T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "no-transpose-in-short-form",
    "the gradient before tanh solves a system with W itself, not with Wᵀ",
    "With the slope s of tanh, q = s * λ and λ = g + Wᵀ q. Which matrix multiplies q if you eliminate λ?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) - slope[:, None] * W, slope * g)
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "three-terms",
    "three terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(3):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "five-terms",
    "five terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(5):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "twenty-terms",
    "twenty terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(20):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "thirty-terms",
    "thirty terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(30):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "eight-terms",
    "eight terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(8):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "fifteen-terms",
    "fifteen terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(15):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "twenty-five-terms",
    "twenty-five terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(25):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


@mistake(
    "forty-terms",
    "forty terms of the Neumann series are enough",
    "How fast do the terms shrink if J hardly contracts? Which equation does the infinite sum solve?",
)
def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(40):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q


MISTAKES = [
    edit(
        "slope-before-solve",
        "the slope of tanh may multiply g before the solve instead of λ after it",
        (
            "Let s be the slope of tanh. Eliminate λ from q = s * λ and λ = g + Wᵀ q. Does s then scale the rows or "
            "the columns of Wᵀ?"
        ),
        "g) * slope -> slope * g)",
    ),
]
