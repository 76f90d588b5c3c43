"""Differentiate the conditions that P satisfies, not the algorithm. If C moves by dC, then f and h move by df and dh,
and

    dP[i, j] = P[i, j] (df_i + dh_j - dC[i, j]) / eps

The row sums and column sums of P stay a and b, so the row sums and column sums of dP are 0:

    a_i df_i + Σ_j P[i, j] dh_j = Σ_j P[i, j] dC[i, j]
    Σ_i P[i, j] df_i + b_j dh_j = Σ_i P[i, j] dC[i, j]

These are n + m linear equations with the symmetric matrix

    H = ( diag(a)    P    )
        (   Pᵀ    diag(b) )

Let r be the row sums and c the column sums of P ∘ g. The change of the loss is Σ g ∘ dP, to which df and dh contribute
(r · df + c · dh)/eps. So one system is enough, with r and c on the right:

    H (u, v) = (r, c)

H is symmetric, so r · df + c · dh = Σ_ij P[i, j] dC[i, j] (u_i + v_j). So the gradient with respect to C is

    dC = -P ∘ (g - u_i - v_j) / eps

This is softmax's backward with two sets of constraints. Subtracting u and v makes all rows and columns of dC sum to 0.
Correcting the rows first and then the columns does not work, because the second correction spoils the row sums again.

H has one null vector: adding a number to u and subtracting it from v changes nothing. So set v_1 = 0. The code
eliminates u = (r - P v)/a, and solves the m - 1 equations that remain for v. Their matrix is the Schur complement
diag(b) - Pᵀ diag(1/a) P without its first row and column.

Cost: O(n·m² + m³) operations, and O(n·m + m²) memory. One step of Sinkhorn's algorithm takes O(n·m). If m exceeds n,
eliminate v instead. For large problems, solve the same system by conjugate gradients. Each iteration then takes two
products with P.

PyTorch: PyTorch has no optimal transport. Autograd through a loop of Sinkhorn steps is right if the loop has converged,
and it saves arrays of n·m numbers at each step. With a PyTorch backend, the library POT differentiates the plan in this
way (`grad="autodiff"` in `ot.solve`). The JAX library OTT solves a linear system by default. With `implicit_diff=None`,
OTT differentiates the unrolled loop instead.

Asked next:

- The loss is the optimal value itself, Σ P ∘ C + eps Σ P ∘ log P. What is dC? → dC = P. P minimises this value under
  the constraints, so by the envelope theorem the change of P does not matter. Nothing needs to be solved.
- What are the gradients of a and b? → The gradients are u and v from the same solve. The sums of a and b must stay
  equal, so only changes with equal sums are possible. The system determines u and v only up to a constant, but this
  constant cancels for such changes.
- When is unrolling the better choice? → Unrolling is better if the forward stops after a few steps. P then does not
  satisfy the conditions, so the implicit gradient belongs to another function. Unrolling differentiates the steps that
  were taken, and its memory grows with their number.
- What happens as eps goes to 0? → P approaches a plan with few nonzero entries, and that plan does not change if C
  changes slightly. So dC goes to 0 for almost every C, although the formula divides by eps. Draw a graph that joins
  source i and target j if that plan moves mass between them. If this graph falls into several pieces, as for a
  permutation, the system becomes nearly singular. If the graph is connected, the system stays well conditioned.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "How do the row sums and column sums of P change if C changes? What does this say about df and dh?",
    (
        "The rows and columns of dP sum to 0. These conditions are a linear system for df and dh. Backward solves a "
        "system with the same matrix for u and v. Its right-hand side holds the row sums and column sums of P * g. Set "
        "one unknown to 0, because u + 1 and v - 1 give the same result as u and v."
    ),
    "With u and v from the system, dC is -P * (g - ...) / eps.",
)
WRT = ("C",)


def masses(rng, shape, _):
    w = rng.uniform(0.5, 1.5, shape)
    return w / w.sum()


CASES = [
    given("C[n>=2,m>=2] a[n] b[m]", a=masses, b=masses, eps=1.0, large={"n": 90, "m": 110}),
    given("C[n>=2,m>=2] a[n] b[m]", a=masses, b=masses, eps=0.4, large=False, note="eps=0.4"),
    given("C[n>=2,m>=2] a[n] b[m]", a=masses, b=masses, C=normal(3, 5), eps=3.0, large=False, note="eps=3"),
    given("C[1,m] a[1] b[m]", a=1.0, b=masses, eps=0.7, large=False, note="one source"),
    given("C[n,1] a[n] b[1]", a=masses, b=1.0, eps=0.7, large=False, note="one target"),
    given(
        "C[3,3] a[3] b[3]",
        C=[[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]],
        a=[0.3, 0.4, 0.3],
        b=[0.2, 0.4, 0.4],
        eps=0.25,
        note="nearly one target per source",
    ),
]
MISTAKES = [
    edit(
        "potentials-constant",
        "f and h do not depend on C",
        "Move one entry of C, but hold f and h fixed. Do the rows and columns of P still have the right sums?",
        "(g - u[:, None] - v) -> g",
    ),
    edit(
        "eps-missing",
        "eps only sharpens the plan",
        "C is divided by eps in P. Which factor does the chain rule give?",
        " / eps ->",
    ),
    edit(
        "mean-masses-first-fixed",
        "the mean mass may replace each mass in the equations",
        "Add 1 to u and subtract 1 from v: dC stays the same. Do your equations still hold?",
        "r, c = ... -> a, b = np.full_like(a, a.mean()), np.full_like(b, b.mean()); "
        "r, c = (P * g).sum(axis=1), (P * g).sum(axis=0)",
    ),
    edit("sign", "a higher cost moves more mass", "With which sign does C enter P?", "return -P -> return P"),
]


def solved(C, a, b, eps):
    """Return the potentials, and the inverse of the Jacobian of the sums without the last potential."""
    n, f, h = len(a), np.zeros(len(a)), np.zeros(len(b))
    for _ in range(60):
        f = eps * (np.log(a) - np.logaddexp.reduce((h - C) / eps, axis=1))
        h = eps * (np.log(b) - np.logaddexp.reduce((f[:, None] - C) / eps, axis=0))
    for _ in range(8):  # a Newton step squares the error
        P = np.exp((f[:, None] + h - C) / eps)
        J = np.block([[np.diag(P.sum(axis=1)), P], [P.T, np.diag(P.sum(axis=0))]]) / eps
        wrong = np.concatenate([P.sum(axis=1) - a, P.sum(axis=0) - b])
        step = np.linalg.solve(J[:-1, :-1], wrong[:-1])
        f, h = f - step[:n], h - np.append(step[n:], 0)
    return f, h, np.linalg.inv(J[:-1, :-1])


# The engine differentiates one Newton step. At a point that satisfies the conditions, this derivative is exact.
def forward(C, a, b, eps):
    values = [np.asarray(getattr(x, "data", x), float) for x in (C, a, b)]
    f, h, inverse = solved(*values, eps)
    P = engine.exp((f[:, None] + h - C) / eps)
    wrong = engine.concatenate([P.sum(axis=1) - a, P.sum(axis=0) - b], axis=0)
    step = engine.matvec(inverse, wrong[:-1])
    n = len(f)
    padded = engine.concatenate([step[n:], np.zeros(1)], axis=0)
    return engine.exp((engine.expand_dims(f - step[:n], 1) + (h - padded) - C) / eps)


def saved(C, a, b, eps):
    f, h, _ = solved(*(np.asarray(x, float) for x in (C, a, b)), eps)
    return {"P": np.exp((f[:, None] + h - C) / eps).astype(C.dtype)}


def sinkhorn_backward(g, P, a, b, eps):
    r, c = (P * g).sum(axis=1), (P * g).sum(axis=0)
    K = np.diag(b) - P.T @ (P / a[:, None])
    rest = np.linalg.solve(K[1:, 1:], (c - P.T @ (r / a))[1:])
    v = np.concatenate([np.zeros(1, P.dtype), rest])
    u = (r - P @ v) / a
    return -P * (g - u[:, None] - v) / eps


@mistake(
    "rows-only",
    "P is a softmax along the rows",
    "Each row of your dC sums to 0. Does each column of your dC sum to 0 too?",
)
def sinkhorn_backward(g, P, a, b, eps):
    u = (P * g).sum(axis=1) / a
    return -P * (g - u[:, None]) / eps


@mistake(
    "columns-only",
    "the gradient passes through the last update of h only",
    "Each column of your dC sums to 0. Does each row of your dC sum to 0 too?",
)
def sinkhorn_backward(g, P, a, b, eps):
    v = (P * g).sum(axis=0) / b
    return -P * (g - v) / eps


@mistake(
    "corrected-one-by-one",
    "the corrections of the rows and of the columns can be computed independently",
    "Do the rows of your dC sum to 0? Which unknowns does the first of the two sets of equations contain?",
)
def sinkhorn_backward(g, P, a, b, eps):
    u = (P * g).sum(axis=1) / a
    v = (P * g).sum(axis=0) / b
    return -P * (g - u[:, None] - v) / eps


@mistake(
    "one-sweep",
    "one correction of the rows and one of the columns are enough",
    "Correct the rows, then the columns. Do the rows of your dC still sum to 0?",
)
def sinkhorn_backward(g, P, a, b, eps):
    u = (P * g).sum(axis=1) / a
    v = (P * (g - u[:, None])).sum(axis=0) / b
    return -P * (g - u[:, None] - v) / eps


@mistake(
    "twenty-sweeps",
    "twenty alternating corrections of rows and columns are enough",
    "How fast do the corrections shrink if P is almost a permutation? Which equations do the exact ones satisfy?",
)
def sinkhorn_backward(g, P, a, b, eps):
    u, v = np.zeros_like(a), np.zeros_like(b)
    for _ in range(20):
        u = ((P * g).sum(axis=1) - P @ v) / a
        v = ((P * g).sum(axis=0) - P.T @ u) / b
    return -P * (g - u[:, None] - v) / eps


@mistake(
    "two-potentials-fixed",
    "one entry of f and one entry of h may be fixed",
    "Add 1 to f and subtract 1 from h: P stays the same. How many numbers does this freedom let you choose?",
)
def sinkhorn_backward(g, P, a, b, eps):
    n, m = P.shape
    K = np.block([[np.diag(a), P], [P.T, np.diag(b)]])
    free = np.r_[1:n, n + 1 : n + m]
    uv = np.zeros(n + m, P.dtype)
    sums = np.concatenate([(P * g).sum(axis=1), (P * g).sum(axis=0)])
    uv[free] = np.linalg.solve(K[np.ix_(free, free)], sums[free])
    return -P * (g - uv[:n, None] - uv[n:]) / eps


@mistake(
    "singular-system",
    "the equations for the corrections have one solution",
    (
        "Add 1 to each row's correction and subtract 1 from each column's. Do the equations still hold? What does that "
        "say about the matrix?"
    ),
)
def sinkhorn_backward(g, P, a, b, eps):
    n = len(a)
    K = np.block([[np.diag(a), P], [P.T, np.diag(b)]])
    uv = np.linalg.solve(K, np.concatenate([(P * g).sum(axis=1), (P * g).sum(axis=0)]))
    return -P * (g - uv[:n, None] - uv[n:]) / eps


@mistake(
    "centred-without-weights",
    "subtracting the means of the rows and columns of g · P keeps the row and column sums of P",
    "If f_i rises, do all entries of row i of P rise by the same amount, or in proportion to P?",
)
def sinkhorn_backward(g, P, a, b, eps):
    G = P * g
    return -(G - G.mean(axis=1, keepdims=True) - G.mean(axis=0) + G.mean()) / eps


@mistake(
    "plain-means-of-g",
    "the corrections are the plain means of the rows and columns of g",
    "Do the rows of your dC sum to 0? Which weights must the means of g have?",
)
def sinkhorn_backward(g, P, a, b, eps):
    return -P * (g - g.mean(axis=1, keepdims=True) - g.mean(axis=0) + g.mean()) / eps


@mistake(
    "independent-plan",
    "the corrections are weighted means, as if P were the product of its row and column sums",
    "Do the rows of your dC sum to 0? For which P would these sums be 0?",
)
def sinkhorn_backward(g, P, a, b, eps):
    G = P * g
    u, v = G.sum(axis=1) / a, G.sum(axis=0) / b
    return -P * (g - u[:, None] - v + G.sum() / a.sum()) / eps


@mistake(
    "potentials-add",
    "the part of dC through the potentials has the same sign as the direct part",
    "Do the rows of your dC sum to 0?",
)
def sinkhorn_backward(g, P, a, b, eps):
    r, c = (P * g).sum(axis=1), (P * g).sum(axis=0)
    K = np.diag(b) - P.T @ (P / a[:, None])
    v = np.concatenate([np.zeros(1, P.dtype), np.linalg.solve(K[1:, 1:], (c - P.T @ (r / a))[1:])])
    u = (r - P @ v) / a
    return -P * (g + u[:, None] + v) / eps


@mistake(
    "one-sweep-columns-first",
    "one correction of the columns and one of the rows are enough",
    "Correct the columns, then the rows. Do the columns of your dC still sum to 0?",
)
def sinkhorn_backward(g, P, a, b, eps):
    v = (P * g).sum(axis=0) / b
    u = (P * (g - v)).sum(axis=1) / a
    return -P * (g - u[:, None] - v) / eps


@mistake(
    "sums-of-g",
    "the right side consists of the row and column sums of g",
    "If C moves, P moves in proportion to P. Which array must you sum along the rows?",
)
def sinkhorn_backward(g, P, a, b, eps):
    r, c = g.sum(axis=1), g.sum(axis=0)
    K = np.diag(b) - P.T @ (P / a[:, None])
    v = np.concatenate([np.zeros(1, P.dtype), np.linalg.solve(K[1:, 1:], (c - P.T @ (r / a))[1:])])
    u = (r - P @ v) / a
    return -P * (g - u[:, None] - v) / eps


@mistake(
    "total-mass-only",
    "only the total mass of P is fixed",
    "Which sums does the task fix: the sum of all entries, or the sum of each row and each column?",
)
def sinkhorn_backward(g, P, a, b, eps):
    return -P * (g - (P * g).sum() / P.sum()) / eps


@mistake(
    "eps-and-sign-missing",
    "dP/dC is P",
    "Which factor does C have in the exponent? Do the rows and columns of P keep their sums?",
)
def sinkhorn_backward(g, P, a, b, eps):
    return P * g


@mistake(
    "uniform-masses",
    "all sources have the same mass, and so have all targets",
    "What do the rows of P sum to: to a, or to the same number in each row?",
)
def sinkhorn_backward(g, P, a, b, eps):
    n, m = P.shape
    total = a.sum()
    K = np.block([[np.eye(n) * total / n, P], [P.T, np.eye(m) * total / m]])
    sums = np.concatenate([(P * g).sum(axis=1), (P * g).sum(axis=0)])
    uv = np.linalg.lstsq(K, sums, rcond=1e-6)[0].astype(P.dtype)
    return -P * (g - uv[:n, None] - uv[n:]) / eps


@mistake(
    "mean-masses",
    "the mean masses may replace a and b in the equations",
    "Add 1 to u and subtract 1 from v: dC stays the same. Do your equations still hold?",
)
def sinkhorn_backward(g, P, a, b, eps):
    a, b = np.full_like(a, a.mean()), np.full_like(b, b.mean())
    return last_fixed(g, P, a, b, eps) if len(b) <= len(a) else last_fixed(g.T, P.T, b, a, eps).T


def last_fixed(g, P, a, b, eps):
    r, c = (P * g).sum(axis=1), (P * g).sum(axis=0)
    K = np.diag(b) - P.T @ (P / a[:, None])
    v = np.append(np.linalg.solve(K[:-1, :-1], (c - P.T @ (r / a))[:-1]), np.zeros(1, P.dtype))
    u = (r - P @ v) / a
    return -P * (g - u[:, None] - v) / eps


@mistake(
    "both-centred",
    "the corrections of the rows and of the columns may both be centred",
    (
        "Add 1 to each row's correction and subtract 1 from each column's: dC stays the same. Does dC also stay the "
        "same if you subtract from each of the two its mean?"
    ),
)
def sinkhorn_backward(g, P, a, b, eps):
    r, c = (P * g).sum(axis=1), (P * g).sum(axis=0)
    K = np.diag(b) - P.T @ (P / a[:, None])
    v = np.concatenate([np.zeros(1, P.dtype), np.linalg.solve(K[1:, 1:], (c - P.T @ (r / a))[1:])])
    u = (r - P @ v) / a
    return -P * (g - (u - u.mean())[:, None] - (v - v.mean())) / eps
