"""out_ij = W_ij/σ, and σ = Σ_kl u_k W_kl v_l is linear in W. The derivative of σ with respect to W_kl is u_k v_l, so
the slope of σ with respect to W is the matrix u vᵀ. With ⟨a, b⟩ = Σ_ij a_ij b_ij, σ itself is ⟨u vᵀ, W⟩.

W reaches the loss along two paths. The direct path gives g/σ. The other path goes through σ. The derivative of W/σ with
respect to σ is -W/σ² = -out/σ, so the gradient of σ is one number:

    dσ = -⟨g, out⟩/σ

Both paths together:

    dW = g/σ + dσ · u vᵀ = (g - ⟨g, out⟩ u vᵀ)/σ

Scaling W does not change out, so dW must be orthogonal to W. A short computation confirms this: ⟨u vᵀ, W⟩ is σ, hence
⟨dW, W⟩ = (⟨g, W⟩ - ⟨g, out⟩ σ)/σ = 0. The subtracted matrix is a multiple of the slope u vᵀ and not of out. In L2
normalisation there is no such difference, because the slope of the norm is the normalised array itself.

Cost: a product of W and a vector, one sum over all entries, and an outer product, so O(m·n), as in the forward. A
singular value decomposition would cost O(m·n·min(m, n)).

PyTorch: `torch.nn.utils.parametrizations.spectral_norm` keeps u and v as buffers. In training mode each access to the
weight first runs one step of power iteration, in place and under `no_grad`. Then the access clones u and v for the
graph. Without the clones, the next forward would change what the first backward needs. In eval mode u and v stay as
they are. The weight of a convolution is first flattened to a matrix with one row per output channel. A weight with one
axis is divided by its L2 norm.

Asked next:

- Why may u and v be constants, although they were computed from W? → Suppose they have converged. Exact singular
  vectors maximise uᵀ W v among unit vectors, so small rotations of u and v do not change σ to first order. Then the
  slope of the largest singular value is u vᵀ. Before convergence, dW is the gradient of W/(uᵀ W v) with u and v held
  fixed.
- Is the spectral norm of out at most 1? → No, the spectral norm is at least 1. For unit vectors |uᵀ W v| is at most the
  largest singular value, so σ is an underestimate until u and v have converged.
- The two largest singular values are equal. What happens to the gradient? → The largest singular value has a kink
  there: different pairs u, v give different matrices u vᵀ. The formula still returns a finite dW for the given pair.
- What does a gradient step do to the norm of W? → dW is orthogonal to W, so the Frobenius norm of W grows with each
  plain gradient step. out keeps its scale, and dW shrinks as 1/σ.
"""

import numpy as np

from autodrill.drills import edit, given, normal

HINTS = (
    "Enlarge one entry of W. Which entries of out change? Along how many paths does the entry reach the loss?",
    (
        "The direct path gives g/σ. The path through σ = uᵀ W v gives a number times a matrix. This matrix is the "
        "slope of σ with respect to W."
    ),
    "The slope is an outer product. Then `dW = (g - ... * slope) / sigma`, with one sum over all entries of g and W.",
)
WRT = ("W",)


def unit_vector(rng, shape, _):
    entries = rng.uniform(0.3, 1.5, shape)
    return entries / np.sqrt((entries * entries).sum())


# Entries near 3 keep sigma away from 0, because u and v have positive entries.
CASES = [
    given("W[m,n] u[m] v[n]", W=normal(1, 3), u=unit_vector, v=unit_vector),
    given("W[4,2] u[4] v[2]", W=normal(1, 3), u=unit_vector, v=unit_vector),
    given("W[n,n] u[n] v[n]", W=normal(1, -3), u=unit_vector, v=unit_vector, note="a negative sigma"),
    given("W[3,n] u[3] v[n]", W=normal(1e-3, 3e-3), u=unit_vector, v=unit_vector, note="a small sigma"),
    given(
        "W[3,2] u[3] v[2]",
        W=[[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]],
        u=[0.6, 0.8, 0.0],
        v=[1.0, 0.0],
        note="vectors with entries of 0",
    ),
]


def forward(W, u, v):
    return W / (u @ W @ v)


def spectral_norm_backward(g, W, u, v):
    slope = np.outer(u, v)
    sigma = (slope * W).sum()
    along = (g * W).sum() / sigma
    return (g - along * slope) / sigma


MISTAKES = [
    edit(
        "sigma-constant",
        "sigma is a constant",
        "If you double W, does out change? Is your dW orthogonal to W?",
        "(g - along * slope) -> g",
    ),
    edit(
        "no-outer",
        "the slope of sigma is the normalised matrix, as in L2 normalisation",
        "sigma = Σ_kl u_k W_kl v_l. What is its derivative with respect to W_kl?",
        "along * slope -> along * W / sigma",
    ),
    edit(
        "number-not-matrix",
        "the same number is subtracted from each entry of g",
        "sigma = Σ_kl u_k W_kl v_l. What is its derivative with respect to W_kl?",
        "along * slope -> along",
    ),
    edit(
        "product-with-W",
        "the gradient of sigma contains the product of g and W, not of g and out",
        (
            "The derivative of W/sigma with respect to sigma is -W/sigma². How many factors of 1/sigma does each of "
            "your two terms have?"
        ),
        "(g * W).sum() / sigma -> (g * W).sum()",
    ),
    edit(
        "not-divided",
        "dW does not depend on the size of sigma",
        "If sigma is 10 times as large, by which factor does the slope of out change?",
        "(g - along * slope) / sigma -> g - along * slope",
    ),
    edit(
        "plus",
        "the part along u vᵀ is added to g",
        "If you double W, out does not change. Is your dW orthogonal to W?",
        "g - along -> g + along",
    ),
    edit(
        "elementwise",
        "the gradient of sigma is a matrix of products, without a sum",
        "sigma divides every entry of W. So over how many entries does the gradient of sigma sum?",
        "(g * W).sum() -> (g * W)",
    ),
    edit(
        "frobenius",
        "W is divided by its Frobenius norm",
        "Read the task again: what is sigma?",
        "(slope * W).sum() -> np.sqrt((W * W).sum())",
        "along * slope -> along * W / sigma",
    ),
    edit(
        "exact-singular-vectors",
        "u and v are the exact singular vectors of W",
        "Power iteration stopped early. With which u and v did the forward compute sigma?",
        "slope = np.outer(u, v) -> left, _, right = np.linalg.svd(W); slope = np.outer(left[:, 0], right[0])",
    ),
    edit(
        "sigma-positive",
        "sigma is positive",
        "u and v need not be the singular vectors. Which sign can uᵀ W v have, and which sign does your sigma have?",
        "sigma = ... -> sigma = np.abs((slope * W).sum())",
    ),
    edit(
        "sigma-bounded-below",
        "a sigma below a small positive number must be replaced by that number",
        "Let sigma be -3. By which number does your code divide?",
        "sigma = ... -> sigma = np.maximum((slope * W).sum(), W.dtype.type(1e-12))",
    ),
    edit(
        "norm-of-Wv",
        "sigma is the norm of W v",
        "sigma is the norm of W v only if u is W v divided by this norm. Does the task promise such a u?",
        "sigma = ... -> sigma = np.sqrt(((W @ v) ** 2).sum())",
    ),
    edit(
        "largest-singular-value",
        "sigma is the largest singular value of W",
        "Power iteration stopped early. From which vectors did the forward compute sigma?",
        "sigma = ... -> sigma = np.linalg.svd(W)[1][0]",
    ),
    edit(
        "sigma-cubed",
        "the second term has the factor 1/sigma³",
        "How many factors of 1/sigma does the derivative of W/sigma with respect to sigma have?",
        "(g * W).sum() / sigma -> (g * W).sum() / sigma**2",
    ),
    edit(
        "mean-of-products",
        "the gradient of sigma is a mean over the entries of W",
        "sigma divides every entry of W. Do the entries' contributions add up, or are they averaged?",
        "(g * W).sum() / sigma -> (g * W).mean() / sigma",
    ),
    edit(
        "g-along-uv",
        "the gradient of sigma is uᵀ g v",
        "The derivative of W/sigma with respect to sigma is -W/sigma². Which array must multiply g before the sum?",
        "(g * W).sum() / sigma -> (g * slope).sum()",
    ),
    edit(
        "row-by-row",
        "each row of W is divided by a sigma of its own",
        "sigma is one number. Over which entries does its gradient sum?",
        "(g * W).sum() / sigma -> (g * W).sum(axis=1, keepdims=True) / sigma",
    ),
    edit(
        "sum-of-upstream",
        "the gradient of sigma is the sum of g",
        "What is the derivative of W/sigma with respect to sigma?",
        "(g * W).sum() / sigma -> g.sum() / sigma",
    ),
    edit(
        "only-through-sigma",
        "W enters out only through sigma",
        "W is in the numerator, too. What would dW be if sigma were a constant?",
        "(g - along * slope) -> (0 * g - along * slope)",
    ),
    edit(
        "one-more-step",
        "the backward starts with another step of power iteration",
        "With which u and v did the forward compute sigma? Are they the ones in your outer product?",
        (
            "slope = ... -> v = W.T @ u; v = v / np.sqrt(v @ v); u = W @ v; u = u / np.sqrt(u @ u); slope = "
            "np.outer(u, v)"
        ),
    ),
    edit(
        "one-more-step-from-v",
        "the backward starts with another step of power iteration, and renews u first",
        "With which u and v did the forward compute sigma? Are they the ones in your outer product?",
        (
            "slope = ... -> u = W @ v; u = u / np.sqrt(u @ u); v = W.T @ u; v = v / np.sqrt(v @ v); slope = "
            "np.outer(u, v)"
        ),
    ),
    edit(
        "v-from-u",
        "v is the unit vector along Wᵀ u",
        "Power iteration stopped early. Does the task promise that v is Wᵀ u divided by its norm?",
        "slope = ... -> v = W.T @ u; v = v / np.sqrt(v @ v); slope = np.outer(u, v)",
    ),
    edit(
        "u-from-v",
        "u is the unit vector along W v",
        "Power iteration stopped early. Does the task promise that u is W v divided by its norm?",
        "slope = ... -> u = W @ v; u = u / np.sqrt(u @ u); slope = np.outer(u, v)",
    ),
]
