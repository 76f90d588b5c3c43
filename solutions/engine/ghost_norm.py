"""Take one example. Token t contributes an outer product to the gradient of W, and g_t to the gradient of b:

    dW = Σ_t a_t g_tᵀ,    db = Σ_t g_t

The square of a matrix's norm is the inner product of the matrix with itself. The inner product of two outer products is
a product of two numbers, ⟨a_t g_tᵀ, a_s g_sᵀ⟩ = (a_t · a_s)(g_t · g_s). So

    |dW|² = Σ_ts (a_t · a_s)(g_t · g_s)
    |db|² = Σ_ts g_t · g_s

The bias is the weight of an input that is always 1, so it adds 1 to each product of inputs:

    |dW|² + |db|² = Σ_ts (a_t · a_s + 1)(g_t · g_s)

The two factors are entries of two T x T matrices, the Gram matrices of the inputs (plus 1) and of the output gradients.

Cost: about 2·T²·(d + k) operations and 2·T² numbers per example. The gradient itself takes 2·T·d·k operations and d·k
numbers. With T = 1 the norm is |g|·√(|a|² + 1). Both a and g are known in an ordinary backward.

PyTorch: an ordinary backward gives only the sum over examples. Opacus computes per-example gradients with hooks that
keep a and g of each layer. In its mode `ghost`, Opacus computes the norms of linear layers in the way shown here.
`torch.func.vmap` over `torch.func.grad` gives per-example gradients without hooks, but it materialises all of them.

Asked next:

- When are the Gram matrices worse? → The Gram matrices take 2·T² numbers per example, and the gradient takes d·k. So
  the Gram matrices are worse if 2·T² > d·k, as with long texts and narrow layers, or in an early convolution.
- You have the norms. How do you get the sum of the clipped gradients? → Multiply the loss of each example by min(1,
  C/norm), with the norm over all layers, and run a second backward. This backward sums the clipped gradients without
  forming any of them. An alternative is to scale the saved g of each layer by this factor and compute Σ aᵀ g once.
- The gradients of the tokens almost cancel. What is wrong with the result? → The rounding error of the double sum is
  proportional to its largest terms. Suppose the gradient of each token has a norm near m. If the true norm is near 0,
  the result is then wrong by about m·√ε, where ε is the unit roundoff. The double sum may even be negative, so clamp it
  at 0 before the root.
- The same weight is used in two layers. May you add the two squared norms? → No. The gradients of the two uses add up
  first. The square of the sum has a cross term, in which tokens of one use are multiplied with tokens of the other.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, gradient, mistake

HINTS = (
    "What is the inner product of two outer products? Which pairs of tokens occur in the square of a sum?",
    (
        "The squared norm is a double sum over tokens. Each term is a product of two inner products, one of inputs and "
        "one of output gradients. The bias is the weight of an input that is always 1."
    ),
    (
        "Make two T x T matrices per example: `np.einsum(...) + ...` from the inputs, and `np.einsum(...)` from the "
        "output gradients. Multiply them elementwise, sum, and take the root."
    ),
)


def one_input(rng, shape, _):
    return np.broadcast_to(rng.normal(size=(shape[0], 1, shape[2])), shape)


def cancelling(rng, shape, _):
    """Return gradients with the sum 0, except in the last example.

    Rounding makes about a third of the double sums negative. Clamped or not, the others are near 0, because the
    gradients are tiny beside those of the last example.
    """
    g = rng.normal(size=shape)
    g[:-1, -1] = -g[:-1, :-1].sum(axis=1)
    g[:-1] *= 1e-7
    g[-1] = np.abs(g[-1]) + 1
    return g


CASES = [
    given("a[n,t,d] g[n,t,k]"),
    given("a[n,t,d] g[n,t,d]", note="d = k"),
    given("a[n,1,d] g[n,1,k]", note="one token"),
    given("a[1,t,1] g[1,t,1]", note="one example of single numbers"),
    given(
        "a[2,2,2] g[2,2,1]",
        a=[[[1.0, 2.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]]],
        g=[[[3.0], [-3.0]], [[2.0], [-1.0]]],
        note="opposite gradients",
    ),
    given("a[n,t,d] g[n,t,k]", g=0.0, note="gradients of 0"),
    given("a[40,3,2] g[40,3,1]", a=one_input, g=cancelling, note="gradients of the tokens cancel"),
    given(
        "a[n,t,d] g[n,t,k]",
        large={"n": 2, "t": 4, "d": 2048, "k": 2048},
        memory=3 << 20,
        because="the d x k gradient",
        note="wide layers",
    ),
    given(
        "a[320,5,3] g[320,5,2]", memory=3 << 20, because="products of tokens of different examples", note="320 examples"
    ),
]
RESULTS = ("norms",)


def expected(a, g):
    if a.shape[2] * g.shape[2] > 1000 or len(a) > 100:  # finite differences in each element take too long
        return (np.array([np.hypot(np.linalg.norm(x.T @ y), np.linalg.norm(y.sum(axis=0))) for x, y in zip(a, g)]),)
    # Each example gets weights of its own, so one gradient holds all gradients per example.
    weights = np.zeros((len(a), a.shape[2], g.shape[2])), np.zeros((len(a), 1, g.shape[2]))
    dW, db = gradient(lambda W, b: ((engine.matmul(a, W) + b) * g).sum(), *weights)
    squares = (dW**2).reshape(len(a), -1).sum(axis=1) + (db**2).reshape(len(a), -1).sum(axis=1)
    return (np.sqrt(squares),)


def ghost_norm(a, g):
    inputs = np.einsum("ntd,nsd->nts", a, a) + 1
    outputs = np.einsum("ntk,nsk->nts", g, g)
    return np.sqrt(np.maximum((inputs * outputs).sum(axis=(1, 2)), 0))


MISTAKES = [
    edit(
        "not-clamped",
        "the double sum is never negative",
        "The gradients of the tokens cancel. Which sign can rounding give the double sum, and what is its root?",
        "np.maximum((inputs * outputs).sum(axis=(1, 2)), 0) -> (inputs * outputs).sum(axis=(1, 2))",
    ),
    edit(
        "no-bias",
        "the layer has no bias",
        "What is the gradient of b? What does this gradient add to the squared norm?",
        "a, a) + 1 -> a, a)",
    ),
    edit(
        "bias-tokens-independent",
        "the squared norms of the tokens' bias gradients add up",
        "Two tokens have opposite gradients. What is the gradient of b?",
        "a, a) + 1 -> a, a) + np.eye(a.shape[1], dtype=a.dtype)",
    ),
    edit(
        "norms-added",
        "the norm of W and b together is the sum of their two norms",
        "The gradient of W has norm 3, and the gradient of b has norm 4. What is the norm of all elements together?",
        "a, a) + 1 -> a, a)",
        "sum(axis=(1, 2)), 0)) -> sum(axis=(1, 2)), 0)) + np.linalg.norm(g.sum(axis=1), axis=1)",
    ),
    edit(
        "squared",
        "the double sum is the norm",
        "Double g. By which factor does the norm of the gradient grow, and by which factor does your result grow?",
        "np.sqrt(np.maximum((inputs * outputs).sum(axis=(1, 2)), 0)) -> (inputs * outputs).sum(axis=(1, 2))",
    ),
    edit(
        "whole-batch",
        "the task asks for the norm of the whole batch's gradient",
        "How many norms does DP-SGD need for a batch of N examples?",
        "return ... -> return np.full(len(a), np.sqrt((inputs * outputs).sum()))",
    ),
    edit(
        "sums-multiplied",
        "the sum of products is the product of the sums",
        "Take two tokens. How many terms are in the double sum, and how many in the product of two double sums?",
        "(inputs * outputs).sum(axis=(1, 2)) -> inputs.sum(axis=(1, 2)) * outputs.sum(axis=(1, 2))",
    ),
    edit(
        "gram-product",
        "the two Gram matrices are multiplied as matrices",
        (
            "In a term (a_t · a_s)(g_t · g_s), both factors belong to the same two tokens. Which products of entries "
            "does `@` add up?"
        ),
        "inputs * outputs -> inputs @ outputs",
    ),
    edit(
        "pairs-once",
        "a pair of different tokens adds one term to the double sum",
        "Expand (u + v)². How often does the product of u and v occur?",
        "(inputs * outputs).sum( -> np.tril(inputs * outputs).sum(",
    ),
    edit(
        "own-terms-twice",
        "the double sum is twice the sum over the pairs t <= s",
        "Expand (u + v)². How often does u² occur?",
        "(inputs * outputs).sum( -> 2 * np.tril(inputs * outputs).sum(",
    ),
]


@mistake(
    "materialised",
    "the gradient of one example may exist for a moment",
    "How many numbers are in one d x k matrix at d = k = 4096? How many inner products of tokens are there?",
)
def ghost_norm(a, g):
    dW = np.einsum("ntd,ntk->ndk", a, g)
    return np.sqrt((dW * dW).sum(axis=(1, 2)) + (g.sum(axis=1) ** 2).sum(axis=1))


@mistake(
    "tokens-independent",
    "the squared norms of the tokens add up",
    "Two tokens have the same input and opposite gradients. What is the gradient of W?",
)
def ghost_norm(a, g):
    inputs = (a * a).sum(axis=2) + 1
    outputs = (g * g).sum(axis=2)
    return np.sqrt((inputs * outputs).sum(axis=1))


@mistake(
    "sum-of-norms",
    "the norms of the tokens add up",
    "The norm of a sum is at most the sum of the norms. When are the two equal?",
)
def ghost_norm(a, g):
    inputs = (a * a).sum(axis=2) + 1
    outputs = (g * g).sum(axis=2)
    return np.sqrt(inputs * outputs).sum(axis=1)


@mistake(
    "sums-first",
    "the gradient is the outer product of two sums over tokens",
    "The gradient is a sum of outer products. Is this sum equal to the outer product of the two sums?",
)
def ghost_norm(a, g):
    inputs, outputs = a.sum(axis=1), g.sum(axis=1)
    return np.sqrt(((inputs * inputs).sum(axis=1) + 1) * (outputs * outputs).sum(axis=1))


@mistake(
    "all-pairs",
    "the products of tokens of different examples may exist for a moment",
    "How many pairs of tokens does the batch have? How many of these pairs are within one example?",
)
def ghost_norm(a, g):
    inputs, outputs = (v.reshape(-1, v.shape[2]) for v in (a, g))
    products = ((inputs @ inputs.T + 1) * (outputs @ outputs.T)).reshape(a.shape[:2] * 2)
    return np.sqrt(np.maximum(np.einsum("ntns->n", products), 0))
