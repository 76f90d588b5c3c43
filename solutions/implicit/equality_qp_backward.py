"""The KKT conditions of the program are linear. At the minimum, the gradient of the objective is a linear combination
of the rows of A. With multipliers ν, this condition and A x = b form one system with a matrix K:

    | Q  Aᵀ | | x |   | -p |
    | A  0  | | ν | = |  b |        K is the matrix on the left

The solution (x, ν) is K⁻¹ applied to (-p, b). Backward therefore applies K⁻ᵀ to the cotangent of (x, ν). The loss does
not read ν, so the cotangent of ν is 0:

    Kᵀ (u, v) = (g, 0),    dp = -u,    db = v

The second block row says A u = 0. So dp contains only directions that the constraints leave free. Moving p along the
row space of A changes only the multipliers, not x. If there are as many constraints as unknowns, dp is 0, because x is
fixed at A⁻¹ b.

Cost: one solve with K. With the forward's factors, the solve takes O((n + m)²), compared with O((n + m)³) for the
factorisation. K is symmetric, so the same factors serve for Kᵀ. `equality_qp_backward` receives no factors, so it
factors K again. dp and db need neither x nor ν.

PyTorch: PyTorch has no layer for this program, but you can assemble K and call `torch.linalg.solve`.
`torch.linalg.solve` saves K, its LU factors, the pivots and the result. Without `create_graph=True`, its backward is
one solve with those factors. With `create_graph=True`, backward factors K again, in a step that can itself be
differentiated. For a K assembled from Q, the gradient of Q is -u xᵀ. PyTorch does not make this gradient symmetric.

Asked next:

- What are dQ and dA? → Differentiating K (x, ν) = (-p, b) gives dK = -(u, v) (x, ν)ᵀ. The blocks of dK give the
  answers: dQ is the symmetric part of -u xᵀ, and dA = -(ν uᵀ + v xᵀ), because A occurs twice in K. For dA the forward
  must therefore save ν.
- How do you check this backward without finite differences? → Check that A dp = 0 for every g. Then choose a vector w
  and set g = Aᵀ w. To first order the loss is g·x = w·A x = w·b, whatever p is, so dp must be 0 and db must be w.
- What changes with inequality constraints? → At the solution, inequalities with a positive multiplier act as
  equalities, and inequalities with slack drop out. The solve is the same, with only the active rows in A. An inequality
  that is active with multiplier 0 may cause a kink, with a different slope on each side.
- What if the rows of A are dependent? → K is singular. The multipliers are not unique. For most b, no x satisfies A x =
  b, so db has no meaning. `solve` may return meaningless numbers without an error, because rounding can hide the zero
  pivot. Drop redundant rows.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Do not differentiate a solver. Which linear equations do the minimiser and its multipliers satisfy together?",
    (
        "Stack stationarity and feasibility into one system K (x, ν) = (-p, b), where ν holds the multipliers. Which "
        "linear system must backward solve for the cotangent (g, 0)?"
    ),
    (
        "Build K with `np.block`. Solve the system whose right-hand side is g followed by zeros. Split the result, "
        "and check the sign of dp."
    ),
)
WRT = ("p", "b")


def definite(rng, shape, sizes):
    M = rng.normal(size=shape)
    return M @ M.T / max(1, len(M)) + np.eye(len(M))


CASES = [
    given("Q[4,4] p[4] A[1,4] b[1]", Q=definite, note="one constraint"),
    given("Q[5,5] p[5] A[3,5] b[3]", Q=definite, note="three constraints"),
    given("Q[n>=3,n] p[n] A[1,n] b[1]", Q=definite, large={"n": 900}, note="n unknowns"),
    given("Q[2,2] p[2] A[2,2] b[2]", Q=definite, A=[[1.0, 2.0], [-1.0, 1.0]], note="x is pinned"),
    given("Q[3,3] p[3] A[1,3] b[1]", Q=definite, g=0.0, note="no cotangent"),
    given("Q[1,1] p[1] A[1,1] b[1]", Q=definite, A=[[2.0]], note="one unknown"),
]
EQUIVALENT = {
    "transpose: ...": "the matrix is symmetric, and the results have one axis",
}


def kkt(Q, A):
    return np.block([[Q, A.T], [A, np.zeros((len(A), len(A)), Q.dtype)]])


def forward(Q, p, A, b):
    both = engine.solve(kkt(Q, A), engine.concatenate([-p, b], axis=0))
    return both[: p.shape[0]]


def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], both[len(p) :]


@mistake(
    "sign",
    "the right-hand side of the linear system contains +p",
    "The right-hand side of the linear system contains -p. How does this sign affect dp?",
)
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return both[: len(p)], both[len(p) :]


@mistake(
    "constraint-ignored",
    "the constraints do not restrict how x moves",
    "x may move only within A x = b. What is A times your dp?",
)
def equality_qp_backward(g, Q, p, A, b):
    return -np.linalg.solve(Q, g), np.zeros_like(b)


@mistake(
    "multiplier-moved",
    "the loss depends on the multipliers too",
    "Does the loss read the multipliers? Which numbers must therefore follow g on the right-hand side?",
)
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, A @ g]))
    return -both[: len(p)], both[len(p) :]


@mistake("db-sign", "raising b lowers A x", "The constraint is A x = b. If you raise b, which way does A x move?")
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], -both[len(p) :]


@mistake(
    "projected-only",
    "Q does not affect how far a change of p moves x",
    "Suppose you double Q. How far does the same change of p then move x? Where does your code use Q?",
)
def equality_qp_backward(g, Q, p, A, b):
    v = np.linalg.solve(A @ A.T, A @ g)
    return -(g - A.T @ v), v


@mistake(
    "projected-afterwards",
    "x is the unconstrained minimum, projected onto A x = b",
    "Take the point with A x = b that is nearest to the unconstrained minimum. Is that point the constrained minimum?",
)
def equality_qp_backward(g, Q, p, A, b):
    u = np.linalg.solve(Q, g)
    v = np.linalg.solve(A @ A.T, A @ u)
    return -(u - A.T @ v), v


@mistake(
    "euclidean-projection",
    "the constraint requires only that g is projected onto the null space of A",
    "x must stay on A x = b, so A dp must be 0. Is A dp still 0 after the solve with Q?",
)
def equality_qp_backward(g, Q, p, A, b):
    db = np.linalg.solve(A @ A.T, A @ g)
    return -np.linalg.solve(Q, g - A.T @ db), db


@mistake(
    "regularised",
    "a small number in the lower right block of the KKT matrix does no harm",
    "Which equation do the last rows of this matrix state? Does x still satisfy A x = b with your block?",
)
def equality_qp_backward(g, Q, p, A, b):
    K = kkt(Q, A)
    K[len(p) :, len(p) :] = -1e-3 * np.eye(len(b))
    both = np.linalg.solve(K, np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], both[len(p) :]


@mistake(
    "softened",
    "the lower right block of the KKT matrix is minus the identity",
    "Which equation do the last rows of this matrix state? Do the multipliers occur in A x = b?",
)
def equality_qp_backward(g, Q, p, A, b):
    K = kkt(Q, A)
    K[len(p) :, len(p) :] = -np.eye(len(b))
    both = np.linalg.solve(K, np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], both[len(p) :]


@mistake(
    "times-multiplier",
    "the multipliers scale the gradient of b, as they do for OptNet's inequalities",
    "Which equation of the linear system contains b? Do the multipliers occur in this equation?",
)
def equality_qp_backward(g, Q, p, A, b):
    nu = np.linalg.solve(kkt(Q, A), np.concatenate([-p, b]))[len(p) :]
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], nu * both[len(p) :]


@mistake(
    "db-by-nearest-point",
    "if b changes, x moves to the nearest point that satisfies the constraint",
    "Many points satisfy A x = b + h. Does the layer choose the nearest one, or the one with the least objective?",
)
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], np.linalg.solve(A @ A.T, A @ g)


@mistake(
    "db-without-inverse",
    "db is A Q⁻¹ g, without the inverse of A Q⁻¹ Aᵀ",
    "With one constraint, double A. By which factor should db change, and by which factor does your db change?",
)
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], A @ np.linalg.solve(Q, g)


@mistake(
    "db-of-the-minimum",
    "b moves the loss as it moves the minimum of the objective",
    "Minus the multipliers is the slope of the minimum with respect to b. Where does this slope contain g?",
)
def equality_qp_backward(g, Q, p, A, b):
    nu = np.linalg.solve(kkt(Q, A), np.concatenate([-p, b]))[len(p) :]
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], -nu


@mistake(
    "db-is-multiplier",
    "the multipliers of the forward are the gradient of b",
    "Double g. By which factor should db change? Do the multipliers of the forward change?",
)
def equality_qp_backward(g, Q, p, A, b):
    nu = np.linalg.solve(kkt(Q, A), np.concatenate([-p, b]))[len(p) :]
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], nu


@mistake(
    "loss-is-the-minimum",
    "the loss is the minimum of the objective",
    "x is the slope of the minimum with respect to p. Which gradient does the task ask for, and where does g occur?",
)
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([-p, b]))
    return both[: len(p)], -both[len(p) :]


@mistake(
    "b-is-constant",
    "b does not move x",
    "The constraint is A x = b. If you raise b, can x stay where it is?",
)
def equality_qp_backward(g, Q, p, A, b):
    both = np.linalg.solve(kkt(Q, A), np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], np.zeros_like(b)
