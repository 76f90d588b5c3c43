"""Read the product from right to left. J_n v is a JVP. It says how fast the logits move if the weights move along v.
Both layers move, and the slope of tanh is 1 - h², with h = tanh(x W1):

    dz = ((x V1) * (1 - h²)) W2 + h V2

H_n is the Hessian of logsumexp, because z[n, y] is linear in z. The gradient of logsumexp is p = softmax(z), so H_n is
the Jacobian of softmax, diag(p) - p pᵀ. Its product with a vector can be computed without forming the matrix. With the
factor 1/N this gives

    u = p * (dz - Σ_c p dz) / N

J_nᵀ u is a VJP, an ordinary backward through the network with u as the gradient of the logits:

    GV2 = hᵀ u
    GV1 = xᵀ ((u W2ᵀ) * (1 - h²))

The labels do not occur in these formulas. H_n is positive semidefinite, so v · G v = (1/N) Σ_n (J_n v)ᵀ H_n (J_n v) ≥
0. The Hessian of L with respect to θ has a second term, the residuals p - onehot times the second derivatives of the
logits. G leaves this term out. The Hessian can have negative curvature because of this term.

Cost: a forward with tangents and one backward. That is 8 matrix products, and the gradient of L takes 5. The product
needs as much memory as a gradient, plus the memory for the tangents of one layer. No array is as large as G or as a
J_n.

PyTorch: there is no function for this product. `torch.func.jvp` of the network gives z and dz. A second `jvp`, of the
gradient of the loss with respect to z, gives u. The pullback of `torch.func.vjp` gives G v.

Asked next:

- Is G the Fisher matrix? → For this loss, yes. Let g be the gradient of one row's loss. The Fisher matrix is the mean
  of g gᵀ over rows, and over labels drawn from the model's own p. Over such labels, (p - onehot)(p - onehot)ᵀ has the
  mean diag(p) - p pᵀ. With the labels of the data, the mean of g gᵀ is the empirical Fisher matrix, which in general
  differs from G.
- When do G and the Hessian agree? → They agree if the logits are linear in θ, as in logistic regression, because the
  second derivatives of the logits are then 0. They also agree if each row's residual p - onehot is 0.
- Why use G instead of the Hessian in an optimiser? → G is positive semidefinite, so G + λI with λ > 0 is positive
  definite. Conjugate gradients then solve (G + λI) s = -∇L and give a descent direction. The Hessian of a network can
  have directions of negative curvature.
- How do you test the product without G? → Compare u · (G v) with v · (G u) for random u and v, and check v · (G v) ≥ 0.
  These tests miss a wrong H_n that is symmetric and positive semidefinite. To find such an error, build G for a tiny
  network.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, mistake, scenario

HINTS = (
    "Read J_nᵀ H_n J_n v from right to left. Which mode computes each of the three products?",
    (
        "Compute a JVP of the logits, multiply by the Jacobian of softmax, then compute a VJP. Both weight matrices "
        "move the logits. Divide by the number of rows once."
    ),
    (
        "Compute `dz = (x @ V1 * ...) @ W2 + ...` and `u = p * (dz - ...) / len(x)`. Then run the backward of both "
        "layers on u."
    ),
)
RESULTS = ("GV1", "GV2")


def made(rng, n, d, m, k):
    return {
        "W1": rng.normal(size=(d, m)),
        "W2": rng.normal(size=(m, k)),
        "x": rng.normal(size=(n, d)),
        "y": rng.integers(0, k, n),
        "V1": rng.normal(size=(d, m)),
        "V2": rng.normal(size=(m, k)),
    }


@scenario(1, 3, note="random weights")
def random_weights(rng, size):
    return made(rng, size, 2, 3, 4)


@scenario(3, note="square matrices")
def square(rng, size):
    return made(rng, size, 3, 3, 3)


@scenario(2, note="one hidden unit")
def narrow(rng, size):
    return made(rng, size, 3, 1, 2)


@scenario(2, note="only W1 moves")
def first_only(rng, size):
    return {**made(rng, size, 2, 2, 3), "V2": np.zeros((2, 3))}


# The first hidden unit is 1 or -1 and adds 2000 or -2000 to each logit.
def with_large_logits(rng, rows, first):
    given = made(rng, rows, 2, 2, 4)
    given["x"][:, 0] = 3 * (-1.0) ** np.arange(rows)
    given["W1"][:, 0] = [3.0, 0.0]
    given["W2"][0] += first
    return given


@scenario(3, note="logits near 2000 and -2000 in each row")
def large(rng, size):
    return with_large_logits(rng, size, [2000.0, 2000.0, -2000.0, -2000.0])


@scenario(2, note="one row near 2000, one near -2000")
def far_apart(rng, size):
    return with_large_logits(rng, size, 2000.0)


@scenario(32, note="many parameters", memory=3 << 20, because="the Jacobian of the logits")
def many(rng, size):
    return made(rng, size, 64, 64, size)


CASES = [random_weights, square, narrow, first_only, large, far_apart, many]


def expected(W1, W2, x, y, V1, V2):
    def logits(W1, W2):
        return engine.matmul(engine.tanh(engine.matmul(x, W1)), W2)

    def along(W1, W2):
        return (logits(W1, W2) * u).sum()

    z, dz = engine.jvp(logits, [W1, W2], [V1, V2])
    u = np.asarray(engine.jvp(lambda z: engine.softmax(z, axis=1), [np.asarray(z)], [np.asarray(dz)])[1]) / len(x)
    if W1.size > 100:  # finite differences in each element take too long
        return tuple(np.asarray(d) for d in engine.vjp(along, W1, W2)[1](np.ones(())))
    return tuple(gradient(along, W1, W2))


def ggn_vector_product(W1, W2, x, y, V1, V2):
    h = np.tanh(x @ W1)
    slope = 1 - h * h
    z = h @ W2
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)

    dz = (x @ V1 * slope) @ W2 + h @ V2
    u = p * (dz - (p * dz).sum(axis=1, keepdims=True)) / len(x)
    return x.T @ (u @ W2.T * slope), h.T @ u


MISTAKES = [
    edit(
        "difference-quotient",
        "a difference quotient of the logits is as exact as the tangent",
        "How many digits survive when you subtract two nearly equal logits? What is the slope of tanh at x W1?",
        "dz = ... -> s = 1e-6; dz = (np.tanh(x @ (W1 + s * V1)) @ (W2 + s * V2) - z) / s",
    ),
    edit(
        "identity-in-the-middle",
        "the Gauss-Newton matrix is JᵀJ",
        "JᵀJ belongs to the squared error. What is the Hessian of this loss with respect to the logits?",
        "u = ... -> u = dz / len(x)",
    ),
    edit(
        "diagonal-only",
        "the Hessian of logsumexp is diag(p)",
        "Add the same number to all logits of a row. How does the loss change? What must H_n times this direction be?",
        "u = ... -> u = p * dz / len(x)",
    ),
    edit(
        "empirical-fisher",
        "the outer product of the row's logit gradient with itself can replace H_n",
        "Your result depends on y. Does the Hessian of the loss with respect to the logits depend on y?",
        "u = ... -> r = p.copy(); r[np.arange(len(y)), y] -= 1; u = r * (r * dz).sum(axis=1, keepdims=True) / len(x)",
    ),
    edit(
        "last-layer-tangent",
        "only W2 moves the logits",
        "Move W1 a little. Do the logits move?",
        "dz = ... -> dz = h @ V2",
    ),
    edit(
        "first-layer-tangent",
        "only W1 moves the logits",
        "Move W2 a little. Do the logits move?",
        "dz = ... -> dz = (x @ V1 * slope) @ W2",
    ),
    edit(
        "no-slope-in-tangent",
        "the tangent passes tanh unchanged",
        "How steep is tanh at x W1?",
        "(x @ V1 * slope) -> (x @ V1)",
    ),
    edit(
        "no-slope-in-backward",
        "the backward passes tanh unchanged",
        "How steep is tanh at x W1?",
        "u @ W2.T * slope -> u @ W2.T",
    ),
    edit(
        "sum-not-mean",
        "G is a sum over rows",
        "Over how many rows is the loss a mean?",
        " / len(x) ->",
    ),
    edit(
        "overflow",
        "the exponential of every logit is finite",
        "What is exp(2000)? What can you subtract from a row of z without changing its softmax?",
        "z - z.max(axis=1, keepdims=True) -> z",
    ),
    edit(
        "sigmoid-like-hessian",
        "the Hessian of logsumexp is diagonal, with the entries p(1 - p)",
        "Raise one logit. Do the probabilities of the other classes change? Which entries of H_n describe this change?",
        "u = ... -> u = p * (1 - p) * dz / len(x)",
    ),
]


@mistake(
    "full-hessian",
    "G is the Hessian with respect to the weights",
    "Which second derivatives does G leave out? Can v · G v be negative?",
)
def ggn_vector_product(W1, W2, x, y, V1, V2):
    h = np.tanh(x @ W1)
    slope = 1 - h * h
    z = h @ W2
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    r = p.copy()
    r[np.arange(len(y)), y] -= 1
    r /= len(x)

    dh = x @ V1 * slope
    dz = dh @ W2 + h @ V2
    u = p * (dz - (p * dz).sum(axis=1, keepdims=True)) / len(x)
    back = (u @ W2.T + r @ V2.T) * slope - (r @ W2.T) * 2 * h * dh
    return x.T @ back, h.T @ u + dh.T @ r


@mistake(
    "jacobian-built",
    "the product needs the whole Jacobian of the logits",
    "How many numbers does J_n have with 1000 logits and a million weights? Which products of J_n do you need?",
)
def ggn_vector_product(W1, W2, x, y, V1, V2):
    h = np.tanh(x @ W1)
    z = h @ W2
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    J1 = np.einsum("nd,nm,mk->nkdm", x, 1 - h * h, W2)
    dz = np.einsum("nkdm,dm->nk", J1, V1) + h @ V2
    u = p * (dz - (p * dz).sum(axis=1, keepdims=True)) / len(x)
    return np.einsum("nkdm,nk->dm", J1, u), h.T @ u
