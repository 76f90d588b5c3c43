"""out_ij = Σ_l X_il W_lj, so X_il affects only row i of `out`, with the slopes W_lj. So dX_il = Σ_j g_ij W_lj, which is
`g @ W.T`. In the same way dW_lj = Σ_i X_il g_ij, which is `X.T @ g`, a sum over the batch.

The shapes lead to the same formulas, because only one product of an (n,k) and a (d,k) matrix has shape (n,d). But
square matrices hide a wrong order, so derive it once.

Cost: each of the two products costs as much as the forward, 2ndk operations. Backward therefore costs two forwards, and
a layer whose input needs no gradient saves half of that. X is saved for dW, W for dX.

PyTorch: `MmBackward0` saves X only if W needs a gradient, and W only if X needs one. `nn.Linear` stores its weight as
(k, d) and computes X Wᵀ + b. There dX = g W, dW = gᵀ X, and db is the sum of g over its rows. Leading axes of X, as in
(B, T, d), are flattened into one, so the weight's gradient sums over all of them.

Asked next:

- W is frozen, but X needs a gradient. What must be saved? → Only W, because dX does not read X. With a LoRA adapter on
  the same input, X is saved anyway: the adapter's first matrix is trained and needs it.
- Differentiate dX again. What does a cotangent V of dX send to g and to W? → dX = g Wᵀ is bilinear, so V sends V W to g
  and Vᵀ g to W. These are two products again, and X receives nothing.
- W is split by columns over two GPUs. What must backward communicate? → Each GPU has the columns g_i that belong to its
  W_i, and computes its part Xᵀ g_i of dW without communication. dX = g_1 W_1ᵀ + g_2 W_2ᵀ is a sum over both, which
  takes one all-reduce.
- In float16, dW sums n products. What can go wrong? → A float16 sum overflows above 65504. It also stops growing when a
  term is less than half the spacing at its size: adding 1 repeatedly ends at 2048. So accumulate in float32 and round
  at the end.
"""

from autodrill.drills import given, mistake

HINTS = (
    "dX must have the shape of X, (n, d). You have g (n, k) and W (d, k). Which product of the two has that shape?",
    (
        "Write out_ij = Σ_l X_il W_lj and differentiate with respect to one X_il. Which entries of out move, and how "
        "fast?"
    ),
    "Two products, each with exactly one `.T`: one has `g` on the left, the other has `g` on the right.",
)
# Three nested Python loops, which are correct, take half a second; finite differences take 280,000 products.
CASES = [given("X[n,d] W[d,k]", large={"n": 8, "d": 7000, "k": 12})]


def forward(X, W):
    return X @ W


def matmul_backward(g, X, W):
    return g @ W.T, X.T @ g


@mistake(
    "no-transpose",
    "X and W multiply g without a transpose",
    "Compare the shapes with n, d, k all different. Then try square matrices that are not symmetric.",
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
    "swapped-returns", "the order of the results does not matter", "Results are returned in the order of the arguments."
)
def matmul_backward(g, X, W):
    return X.T @ g, g @ W.T


@mistake(
    "average", "this layer averages over the batch", "The 1/N belongs to the loss. Does this layer compute a loss?"
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
