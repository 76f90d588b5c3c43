"""out_ij = Σ_l X_il W_lj, so X_il touches row i of `out` only, with slopes W_lj: dX_il = Σ_j g_ij W_lj, which is
`g @ W.T`. In the same way dW_lj = Σ_i X_il g_ij, which is `X.T @ g`: a sum over the batch.

Shapes alone lead there: (n,k) and (d,k) make (n,d) by one product only. But square matrices hide a wrong order, so
derive it once.

Cost: Each of the two products costs as much as the forward, 2ndk operations: backward is twice the forward, and a layer
whose input needs no gradient saves half. X is kept for dW, W for dX.

PyTorch: `MmBackward0` saves X only if W needs a gradient, and W only if X does. `nn.Linear` stores its weight as (k, d)
and computes X Wᵀ + b, so there dX = g W, dW = gᵀ X, and db is the sum of g over its rows. Leading axes of X, as in
(B, T, d), are flattened into one: the weight's gradient sums over all of them.

Asked next:

- W is frozen, but X needs a gradient. What must be kept? → W alone, as dX does not read X. Beside a LoRA adapter on the
  same input X is kept all the same: the adapter's first matrix, which is trained, needs it.
- Differentiate dX again: what does a cotangent V of dX send to g and to W? → dX = g Wᵀ is bilinear: V W to g, and Vᵀ g
  to W. Two products again, and nothing to X.
- W is split by columns over two GPUs. What must be communicated in backward? → Each has the columns g_i that belong to
  its W_i, and makes its part Xᵀ g_i of dW alone. dX = g_1 W_1ᵀ + g_2 W_2ᵀ is a sum over both: one all-reduce.
- In float16, dW sums n products. What can go wrong? → A sum kept in float16 overflows above 65504, and stops growing
  when a term is less than half the spacing at its size: adding 1 again and again ends at 2048. So one accumulates in
  float32 and rounds at the end.
"""

from autodrill.drills import given, mistake

HINTS = (
    "dX must have the shape of X, (n, d). You have g (n, k) and W (d, k): which product of the two has that shape?",
    "Write out_ij = Σ_l X_il W_lj and differentiate with respect to one X_il: which entries of out move, and how fast?",
    "Two products, each with exactly one `.T`: one with `g` on the left, one with `g` on the right.",
)
# Three nested loops in Python, which are right, take half a second, and finite differences 280,000 products.
CASES = [given("X[n,d] W[d,k]", large={"n": 8, "d": 7000, "k": 12})]


def forward(X, W):
    return X @ W


def matmul_backward(g, X, W):
    return g @ W.T, X.T @ g


@mistake(
    "no-transpose",
    "the slopes are the matrices themselves, untransposed",
    "Compare shapes with n, d, k all different; then try square matrices that are not symmetric.",
)
def matmul_backward(g, X, W):
    return g @ W, X @ g


@mistake("order", "the order of the two factors does not matter", "(g Wᵀ) has X's shape. Which shape does yours have?")
def matmul_backward(g, X, W):
    return W @ g.T, g.T @ X


@mistake("swapped-returns", "the order of the results does not matter", "Return order follows argument order.")
def matmul_backward(g, X, W):
    return X.T @ g, g @ W.T


@mistake("average", "the batch is averaged here", "The 1/N belongs to the loss. Does this layer know of a loss?")
def matmul_backward(g, X, W):
    return g @ W.T, X.T @ g / max(len(X), 1)


@mistake(
    "reshape",
    "a reshape to the other shape transposes",
    "Write out `W.reshape(3, 2)` and `W.T` for a 2x3 matrix: are they the same?",
)
def matmul_backward(g, X, W):
    return g @ W.reshape(W.shape[::-1]), X.reshape(X.shape[::-1]) @ g


@mistake(
    "one-row",
    "the batch has one row",
    "Every row of X meets the same W. How many terms has an entry of dW?",
)
def matmul_backward(g, X, W):
    return g @ W.T, X[0][:, None] * g[0]
