"""The layer is a chain of four steps: project, split into heads, attend, and project the merged heads. Backward takes
the steps in reverse order.

The last step is a product with Wo. Let a be the merged heads. Then da = g Woᵀ and dWo = Σ aᵀ g, with a sum over the b
sequences.

Merging is a rearrangement of numbers. Its backward is the inverse rearrangement, which is the split. So da is split
into heads, as q, k and v were in the forward. Let δ be the row sum of dp ∘ p. Each head then has the backward of
attention:

    dv = pᵀ da,    dp = da vᵀ,    ds = p ∘ (dp - δ)/√d,    dq = ds k,    dk = dsᵀ q

Splitting is a rearrangement too, and its backward is the merge. After the merge, dq, dk and dv have the shape (b, n,
I).

x is read three times, so its gradient has three terms:

    dx = dq Wqᵀ + dk Wkᵀ + dv Wvᵀ,    dWq = Σ xᵀ dq,    dWk = Σ xᵀ dk,    dWv = Σ xᵀ dv

A split needs a reshape and a transpose. The code writes the transpose as an einsum with named axes. The reshape from
(b, n, I) to (b, n, H, d) cuts each token's row into heads. The transpose then moves the head axis before the token
axis. The merge has the same two steps in reverse order: transpose first, then reshape. A direct reshape from (b, H, n,
d) to (b, n, I) has the right shape, but it mixes tokens.

Cost: for one sequence, each of the four projections takes n·D·I multiplications in the forward and twice as many in the
backward. Each of the two products inside the heads takes n²·I multiplications for all heads together, and twice as many
in the backward. This function also recomputes q, k, v and p, because only x and the weights were saved. The matrices p
have H·n² numbers per sequence.

PyTorch: `nn.MultiheadAttention` stacks Wq, Wk and Wv, transposed, in one `in_proj_weight` of shape (3D, D). One product
then computes q, k and v. With `need_weights=False` the module calls `scaled_dot_product_attention`, whose fused kernels
save one log-sum-exp per row. With the default `need_weights=True` the module uses `bmm` and `softmax`, and the softmax
saves p. The returned weights are an average over the heads.

Asked next:

- Why is a stacked product for q, k and v faster in backward too? → dx = [dq dk dv] [Wq Wk Wv]ᵀ is one product. The sum
  of the three paths happens inside the product, so two additions of (n, D) arrays disappear.
- Tensor parallelism gives each rank some of the heads. Where must the ranks communicate? → The forward sums the outputs
  of Wo over the ranks, once. The backward sums dx over the ranks, once. The weight gradients need no communication,
  because each rank owns the columns of Wq, Wk and Wv and the rows of Wo that belong to its heads.
- Does the number of heads change the cost? → The matrix products take the same number of multiplications, because I is
  fixed. The softmax takes H·n² exponentials per sequence, so its share of the cost grows with H. If the matrices p are
  stored, their memory grows with H too.
- What is the gradient of a key bias, k = x @ Wk + bk? → It is 0. The bias adds q·bk to all scores of a query, and
  softmax does not change under such a shift.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "Write the forward as four steps. How many times is x read? What is the backward of splitting an array into heads?",
    (
        "The split's backward is the merge, and the merge's backward is the split. Between these two steps, each head "
        "has the backward of attention. dx has three terms."
    ),
    (
        "Split: reshape to (b, n, H, d), then exchange axes 1 and 2. Merge: exchange axes 1 and 2, then reshape. Split "
        "g @ Wo.T, and merge dq, dk, dv and the output of the heads."
    ),
)
SHAPES = "x[b,n,D] Wq[D,I] Wk[D,I] Wv[D,I] Wo[I,D]"
# Scores near 1: scores of tens would leave only the rounding error of dp - δ in some elements.
SMALL = {"Wq": normal(0.5), "Wk": normal(0.5)}
CASES = [
    given(SHAPES.replace("I", "6"), **SMALL, H=2, note="two heads", large={"b": 36, "n": 47, "D": 57}),
    given(SHAPES.replace("I", "6"), **SMALL, H=3, large=False, note="three heads"),
    given(SHAPES.replace("I", "3"), **SMALL, H=1, large=False, note="one head"),
    given("x[2,1,D] Wq[D,4] Wk[D,4] Wv[D,4] Wo[4,D]", H=2, large=False, note="a single token"),
    given(
        "x[1,3,2] Wq[2,2] Wk[2,2] Wv[2,2] Wo[2,2]",
        x=[[[1.0, 2.0], [2.0, -1.0], [-1.0, 1.0]]],
        Wq=[[30.0, -20.0], [10.0, 25.0]],
        Wk=[[20.0, 15.0], [-25.0, 30.0]],
        H=2,
        smooth=False,
        note="scores above 1000",
    ),
    given(
        "x[1,2,1] Wq[1,2] Wk[1,2] Wv[1,2] Wo[2,1]",
        x=[[[1.0], [1.01]]],
        Wq=[[40.0, 50.0]],
        Wk=[[30.0, 24.0]],
        H=2,
        smooth=False,
        note="scores near 1200",
    ),
]


def forward(x, Wq, Wk, Wv, Wo, H):
    b, n, _ = x.shape
    q, k, v = (engine.swapaxes((x @ W).reshape(b, n, H, -1), 1, 2) for W in (Wq, Wk, Wv))
    out = engine.scaled_dot_product_attention(q, k, v)
    return engine.swapaxes(out, 1, 2).reshape(b, n, -1) @ Wo


def split(t, H):
    b, n, width = t.shape
    heads = t.reshape(b, n, H, width // H)
    return np.einsum("bnhd->bhnd", heads)


def merge(t):
    b, H, n, d = t.shape
    tokens = np.einsum("bhnd->bnhd", t)
    return tokens.reshape(b, n, H * d)


def weight_gradient(t, dy):
    # y = t @ W: sum over the sequences and their tokens.
    return np.tensordot(t, dy, axes=((0, 1), (0, 1)))


def mha_backward(g, x, Wq, Wk, Wv, Wo, H):
    q, k, v = split(x @ Wq, H), split(x @ Wk, H), split(x @ Wv, H)
    scale = q.shape[-1] ** -0.5
    s = q @ k.mT * scale
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    da = split(g @ Wo.T, H)
    dp = da @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * scale
    dq, dk, dv = merge(ds @ k), merge(ds.mT @ q), merge(p.mT @ da)
    dx = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    dWq = weight_gradient(x, dq)
    dWk = weight_gradient(x, dk)
    dWv = weight_gradient(x, dv)
    dWo = weight_gradient(merge(p @ v), g)
    return dx, dWq, dWk, dWv, dWo


MISTAKES = [
    edit(
        "dx-one-path",
        "x reaches the output only through the queries",
        "How many matrices multiply x in the forward?",
        "dx = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T -> dx = dq @ Wq.T",
    ),
    edit(
        "values-path-missing",
        "x reaches the output only through the scores",
        "Freeze the scores. Does the output still depend on x?",
        "+ dv @ Wv.T ->",
    ),
    edit(
        "merge-without-transpose",
        "a reshape alone merges the heads",
        "The axes are (b, H, n, d). To which token does element [0, 1, 0, 0] belong, and where does your merge put it?",
        "tokens = ... -> tokens = t",
    ),
    edit(
        "split-order",
        "a reshape alone splits into heads",
        "Reshape (n, I) to (H, n, d). Does head 0 then own the first columns, or the first tokens?",
        "heads = ... -> return t.reshape(b, H, n, width // H)",
    ),
    edit(
        "interleaved-heads",
        "head h owns every H-th column",
        "Which columns of q does head 0 own? Which axis of your reshape is the head axis?",
        "heads = ... -> return t.reshape(b, n, width // H, H).transpose(0, 3, 1, 2)",
        "tokens = ... -> tokens = t.transpose(0, 2, 3, 1)",
    ),
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "By how much does a score move when q·k moves by 1?",
        ") * scale ->)",
    ),
    edit(
        "scale-on-dq-only",
        "only dq contains the scale",
        "A score is q·k over √d. What are its derivatives with respect to q and with respect to k?",
        ") * scale ->)",
        "merge(ds @ k) -> merge(ds @ k * scale)",
    ),
    edit(
        "scale-on-dk-only",
        "only dk contains the scale",
        "A score is q·k over √d. What are its derivatives with respect to q and with respect to k?",
        ") * scale ->)",
        "merge(ds.mT @ q) -> merge(ds.mT @ q * scale)",
    ),
    edit(
        "scale-of-all-heads",
        "the scores are divided by √I",
        "A score is the dot product of two vectors. How many elements does each of the two vectors have?",
        "q.shape[-1] ** -0.5 -> Wq.shape[-1] ** -0.5",
    ),
    edit(
        "scale-of-model-width",
        "a head has D/H columns",
        "How many columns does Wq have, and how many does x have? Which of these numbers do the heads share?",
        "q.shape[-1] ** -0.5 -> (x.shape[-1] / H) ** -0.5",
    ),
    edit(
        "row-sum-over-heads",
        "all heads of a token share one row sum of dp · p",
        "Add a constant to a row of scores of one head: its p stays the same. Do the rows of each head's ds sum to 0?",
        "(dp * p).sum(axis=-1 -> (dp * p).sum(axis=(1, -1)",
    ),
    edit(
        "row-sum-over-queries",
        "all queries of a head share one row sum of dp · p",
        "Over which numbers did softmax normalise: over one row of scores, or over all rows of a head?",
        "(dp * p).sum(axis=-1 -> (dp * p).sum(axis=(-2, -1)",
    ),
    edit(
        "dWo-from-values",
        "Wo multiplies the values",
        "Which array does Wo multiply in the forward: v, or the output of the heads?",
        "merge(p @ v) -> merge(v)",
    ),
    edit(
        "Wo-skipped",
        "the gradient of the output is the gradient of the merged heads",
        "The last step of the forward is a product with Wo. What is the first step of the backward?",
        "split(g @ Wo.T, H) -> split(g, H)",
    ),
    edit(
        "no-row-sum",
        "the slope of softmax is p",
        "Add a constant to a row of scores: p stays the same. Do the rows of your ds sum to 0?",
        "(dp - (dp * p).sum(axis=-1, keepdims=True)) -> dp",
    ),
    edit(
        "softmax-not-shifted",
        "the exponential of a score is finite",
        "What is exp(1000) in floating point? Which number may be subtracted from a row without changing its softmax?",
        "s - s.max(axis=-1, keepdims=True) -> s",
    ),
    edit(
        "batch-not-summed",
        "each sequence has its own weights",
        "Print the shapes of your dWq and of Wq. How many sequences use the same Wq?",
        "np.tensordot(t, dy, axes=((0, 1), (0, 1))) -> t.mT @ dy",
    ),
    edit(
        "batch-averaged",
        "the weight gradients are averaged over the sequences",
        "Put a sequence and its g into the batch twice. Should dWq stay the same or double?",
        "np.tensordot(t, dy, axes=((0, 1), (0, 1))) -> (t.mT @ dy).mean(axis=0)",
    ),
    edit(
        "column-sum",
        "softmax normalised over the queries",
        "Which numbers sum to 1: a row of p or a column of p? Over which axis must ds sum to 0?",
        "(dp * p).sum(axis=-1 -> (dp * p).sum(axis=-2",
    ),
    edit(
        "global-shift",
        "one maximum is enough for all rows of scores",
        "The row maxima are 1000 and -900. After a shift by 1000, what are the exponentials of the second row?",
        "s.max(axis=-1, keepdims=True) -> s.max()",
    ),
    edit(
        "unweighted-sum",
        "the row sum contains dp without the weights p",
        "Add a constant to a row of dp. Must ds stay the same? Does your ds stay the same?",
        "(dp * p).sum( -> dp.sum(",
    ),
]
