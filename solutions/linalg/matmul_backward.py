"""A matrix product has the entries out_ij = Σ_l X_il W_lj. X_il affects only row i of `out`, with slope W_lj in column
j. So dX_il = Σ_j g_ij W_lj, which is `g @ W.T`. In the same way dW_lj = Σ_i X_il g_ij, which is `X.T @ g`, a sum over
the batch.

The shapes lead to the same formulas, because only one product of an (n,k) and a (d,k) matrix has shape (n,d). But with
square matrices a wrong order has the right shape too, so derive the formulas and do not rely on the shapes.

Cost: each of the two products costs as much as the forward, 2ndk operations. Backward therefore costs twice as much as
the forward, or as much as the forward if X needs no gradient. The forward saves X for dW and W for dX.

PyTorch: `MmBackward0` saves X only if W needs a gradient, and saves W only if X needs a gradient. `nn.Linear` stores
its weight as (k, d) and computes X Wᵀ + b. For `nn.Linear`, dX = g W, dW = gᵀ X, and db is the sum of the rows of g.
Leading axes of X, as in (B, T, d), are flattened into one, so the weight's gradient sums over all of them.

Asked next:

- W is frozen, but X needs a gradient. What must be saved? → Only W must be saved, because dX does not read X. With a
  LoRA adapter on the same input, X is saved anyway, because the gradient of the adapter's first matrix needs X.
- In a second backward pass, dX has the cotangent V. Which cotangents do g and W receive? → dX = g Wᵀ is a product of g
  and Wᵀ, so g receives V W and W receives Vᵀ g. So the second backward takes two products again. X receives nothing.
- W is split by columns over two GPUs. What must backward communicate? → GPU i has the columns W_i of W and the matching
  columns g_i of g. GPU i computes its part of dW, Xᵀ g_i, without communication. dX = g_1 W_1ᵀ + g_2 W_2ᵀ is a sum over
  both GPUs, which takes one all-reduce.
- Each entry of dW sums n products in float16. What can go wrong? → A float16 sum overflows above 65504. The sum also
  stops growing when the terms are small compared with the spacing of float16 numbers near the sum. Adding 1 repeatedly
  ends at 2048, for example. So accumulate in float32 and round at the end.
"""

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    (
        "dX must have the shape of X, (n, d). g has shape (n, k), and W has shape (d, k). Which product of g and W "
        "has the shape of X?"
    ),
    (
        "Start from out_ij = Σ_l X_il W_lj and differentiate with respect to one X_il. Which entries of `out` move, "
        "and with which slope?"
    ),
    "Return two products, each with exactly one `.T`. One has `g` on the left, the other has `g` on the right.",
)
# Three nested Python loops are a correct answer and take half a second. Finite differences take 280,000 products.
EMPTY = True
CASES = [given("X[n,d] W[d,k]", large={"n": 8, "d": 7000, "k": 12})]


def forward(X, W):
    return X @ W


def matmul_backward(g, X, W):
    return g @ W.T, X.T @ g


@mistake(
    "W-not-transposed",
    "dX is g times W",
    "g has shape (n, k), and W has shape (d, k). Does g @ W exist if d and k differ? Which axis do both share?",
)
def matmul_backward(g, X, W):
    return g @ W, X.T @ g


@mistake(
    "X-not-transposed",
    "dW is X times g",
    "X has shape (n, d), and g has shape (n, k). Does X @ g exist if n and d differ? Which axis do both share?",
)
def matmul_backward(g, X, W):
    return g @ W.T, X @ g


@mistake(
    "no-transpose",
    "X and W multiply g without a transpose",
    "Choose n, d and k all different, and compare the shapes. Then try square matrices that are not symmetric.",
)
def matmul_backward(g, X, W):
    return g @ W, X @ g


@mistake(
    "order",
    "the order of the two factors does not matter",
    "g Wᵀ has the shape of X. Which shape does your product have?",
)
def matmul_backward(g, X, W):
    return W @ g.T, g.T @ X


@mistake(
    "swapped-returns",
    "the order of the results does not matter",
    "In which order does the task ask for the two results?",
)
def matmul_backward(g, X, W):
    return X.T @ g, g @ W.T


@mistake(
    "average", "this layer averages over the batch", "A factor 1/N belongs to the loss. Does this layer compute a loss?"
)
def matmul_backward(g, X, W):
    return g @ W.T, X.T @ g / max(len(X), 1)


@mistake(
    "reshape",
    "a reshape to the transposed shape is a transpose",
    "Write out `W.reshape(3, 2)` and `W.T` for a 2x3 matrix. Are they the same?",
)
def matmul_backward(g, X, W):
    return g @ W.reshape(W.shape[::-1]), X.reshape(X.shape[::-1]) @ g


@mistake(
    "one-row",
    "the batch has one row",
    "Every row of X is multiplied by the same W. How many terms does an entry of dW sum?",
)
def matmul_backward(g, X, W):
    return g @ W.T, X[0][:, None] * g[0]


@mistake(
    "inverse",
    "a product is undone by an inverse",
    "The gradient of X is a slope, not a value of X. If all of W doubles, does dX double or halve?",
)
def matmul_backward(g, X, W):
    return g @ np.linalg.pinv(W), np.linalg.pinv(X) @ g
