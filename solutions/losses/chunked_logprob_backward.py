"""Each token has its own cotangent g_n. The log-probability is a logit minus the log-sum-exp, and the slope of the
log-sum-exp is the softmax. The gradient of the logits is therefore one-hot minus softmax:

    d_nv = g_n · (1[v = y_n] - p_nv),    p_nv = exp(z_nv - lse_n)

The sign is opposite to that of the cross-entropy, because out is a log-probability and not a loss.

The logits are z = h Wᵀ, so dh = d W and dW = dᵀ h. Cut W into chunks of rows, and cut the columns of z and d in the
same way. For a chunk W_c with its columns d_c:

    dh = Σ_c d_c W_c,    dW_c = d_cᵀ h

dW_c is complete after its chunk. dh is a sum over the whole vocabulary, so each chunk adds to it.

A chunk contains only a part of each softmax row and cannot be normalised on its own. The saved lse_n contains the sum
over the whole row, so one exponential recovers each probability. This exponential cannot overflow, because z_nv ≤ lse_n
up to rounding.

The target y_n is in one chunk only. If the chunk starts at row j, the target is its column y_n - j. The chunk contains
the target if y_n - j is at least 0 and smaller than the number of rows in the chunk.

Cost: three matrix products of N·V·D multiplications. One of them recomputes the logits. With saved logits, the backward
would not need this product. The largest arrays have N·chunk numbers. At N = 8192 and V = 151,936, all logits take 4.6
GiB in float32. With a chunk of 4096 rows, an array takes 128 MiB.

PyTorch: `log_softmax(h @ W.T, -1)` followed by `gather` computes all logits. The backward makes two more arrays of
shape (N, V). The first, from `gather`, is mostly 0, and the second is the gradient of the logits.
`F.linear_cross_entropy` in PyTorch 2.13 with `reduction="none"` and chunking options returns -out without these arrays.
This function works in chunks of tokens, and its backward computes the logits of each chunk again.

Asked next:

- Should the chunks cut the tokens or the vocabulary? → Chunks of tokens have whole rows, so each softmax is complete.
  With a scalar loss, the forward can even compute the gradients of each chunk. Chunks of the vocabulary suit a
  vocabulary that is split over ranks, because each rank then owns whole chunks of W and dW.
- Many tokens are padding or prompt, with g_n = 0. How do you save work? → Their rows of d are 0. Select the rows of h,
  y and lse with g_n ≠ 0 before the products, and write dh back to the selected rows.
- A policy-gradient loss also contains the entropy of each row. What must the forward save for the gradient of the
  entropy? → The forward must save one more number per row, the entropy H_n. The slope of H_n is ∂H_n/∂z_nv = -p_nv (log
  p_nv + H_n), and log p_nv = z_nv - lse_n.
- lse was computed in bfloat16. What happens to the gradient? → An error of ε in lse_n multiplies all p of the row by
  exp(-ε). Between 16 and 32, bfloat16 numbers are 1/8 apart, so rounding changes p by up to 6%. Keep lse in float32.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given

HINTS = (
    (
        "Which saved number normalises a part of a softmax row? If the logit of y_n rises, does the log-probability of "
        "y_n rise or fall?"
    ),
    (
        "In each chunk of W, d is g times (one-hot minus exp(z - lse)). dW of the chunk is the product of dᵀ and h. dh "
        "is a sum over the chunks."
    ),
    (
        "Loop over `range(0, V, chunk)`. The chunk that starts at row j contains a target y if `0 <= y - j < ...`. The "
        "column of y in this chunk is y - j."
    ),
)
WRT = ("h", "W")
CASES = [
    given("h[4,D] W[7,D] y[4]", y=[0, 6, 3, 6], chunk=3, large=False, note="a short last chunk"),
    given("h[5,D] W[6,D] y[5]", y=below(6), chunk=2, large=False, note="three full chunks"),
    given("h[3,D] W[4,D] y[3]", y=below(4), chunk=1, large=False, note="one word per chunk"),
    given("h[3,D] W[4,D] y[3]", y=below(4), chunk=9, large=False, note="one chunk for all"),
    given("h[3,D] W[5,D] y[3]", y=[1, 4, 2], g=[1.5, -2.0, 0.0], chunk=2, large=False, note="g of both signs and 0"),
    given(
        "h[3,2] W[4,2] y[3]",
        h=[[1000.0, 1.0], [-900.0, 2.0], [0.0, -1.0]],
        W=[[1.0, 3.0], [0.5, -1.0], [-1.0, 2.0], [1.0, 2.0]],
        y=[1, 0, 2],
        chunk=2,
        smooth=False,
        note="logits of ±1000",
    ),
    given(
        "h[N,D] W[V,D] y[N]",
        y=below("V"),
        chunk=32,
        large={"N": 1200, "V": 8000, "D": 2},
        memory=3 << 19,
        because="an array of N x V numbers is too large",
    ),
]
EQUIVALENT = {"off by one: len(W) -> len(W) + 1": "it adds at most an empty chunk"}
MISTAKES = [
    edit(
        "softmax-per-chunk",
        "a chunk can be normalised on its own",
        "Do the probabilities of one chunk sum to 1? Which saved number contains the rest of the vocabulary?",
        "p = ... -> e = np.exp(z - z.max(axis=1, keepdims=True)); p = e / e.sum(axis=1, keepdims=True)",
    ),
    edit(
        "target-in-every-chunk",
        "y_n is the target's column in every chunk",
        "Take token 7 and a chunk that starts at row 6. Which column of the chunk belongs to the token?",
        "column = y - j -> column = y",
    ),
    edit(
        "first-chunk-only",
        "all targets are in the first chunk",
        "Take token 7 and chunks of 3 rows. Which chunk contains the token?",
        "column = y - j -> column = np.where(j == 0, y, -1)",
    ),
    edit(
        "negative-columns",
        "NumPy rejects a negative column",
        "Take token 5 and a chunk that starts at row 6. What does `d[0, -1]` do in NumPy?",
        "(column >= 0) & (column < len(rows)) -> (column >= -len(rows)) & (column < len(rows))",
    ),
    edit(
        "dh-of-last-chunk",
        "dh is complete after one chunk",
        "By how many rows of W is h_n multiplied? How many of these rows are in the last chunk?",
        "dh += d @ rows -> dh[...] = d @ rows",
    ),
    edit(
        "loss-sign",
        "the gradient of the logits is softmax minus one-hot",
        "Is out the loss or the log-probability? Raise the logit of y_n: does out_n grow or shrink?",
        "dh += d @ rows -> d = -d; dh += d @ rows",
    ),
    edit(
        "no-one-hot",
        "the gradient of the logits contains only the softmax",
        "Raise the logit of y_n. Does out_n grow or shrink? Which sign does your gradient have if g_n is positive?",
        "d[own, column[own]] += g[own] -> pass",
    ),
    edit(
        "one-for-target",
        "the one-hot term is not multiplied by g",
        "out_n contains z[n, y_n]. By how much does the loss move if this logit moves by 1?",
        "+= g[own] -> += 1",
    ),
    edit(
        "materialised",
        "all N x V logits may be in memory at once",
        "How many bytes do the logits of 8192 tokens and 151,936 words take? How many columns do you need at a time?",
        "dh, dW = np.zeros_like(h), [] -> dh, dW = np.zeros_like(h), []; chunk = len(W)",
    ),
    edit(
        "mean",
        "the gradients must still be divided by the number of tokens",
        "Does the task take a mean? If it did, which argument would already contain 1/N?",
        "return dh, np.concatenate(dW) -> return dh / len(h), np.concatenate(dW) / len(h)",
    ),
    edit(
        "wrapped-columns",
        "a target before the chunk has no column in it",
        "Take token 5 and a chunk that starts at row 6. What is 5 - 6, and which column does NumPy take for it?",
        "own = ... -> own = column < len(rows); column = column % len(rows)",
    ),
    edit(
        "no-lower-bound",
        "a target that is not behind the chunk is in the chunk",
        "Take token 0 and a chunk that starts at row 6. What is 0 - 6, and does the chunk have this column?",
        "(column >= 0) & (column < len(rows)) -> column < len(rows)",
    ),
    edit(
        "one-bound-too-many",
        "a chunk of n rows has a column with the index n",
        "A chunk of 3 rows of W gives 3 columns of logits. Which indices do these columns have?",
        "column < len(rows) -> column <= len(rows)",
    ),
    edit(
        "no-upper-bound",
        "a target that is not before the chunk is in the chunk",
        "Take token 6 and the chunk of rows 0 to 2. Does this chunk have a column 6?",
        "(column >= 0) & (column < len(rows)) -> column >= 0",
    ),
    edit(
        "target-once-a-chunk",
        "every chunk has a column for every target",
        "Take token 7 and chunks of 3 rows. Which chunks contain the token, and which chunks does your code use?",
        "column = y - j -> column = y % len(rows)",
    ),
    edit(
        "last-chunk-dropped",
        "chunk divides V",
        "W has 7 rows, and chunk is 3. Which rows does your loop visit?",
        "range(0, len(W), chunk) -> range(0, len(W) - chunk + 1, chunk)",
        "np.concatenate(dW) -> np.concatenate([*dW, np.zeros((len(W) - sum(map(len, dW)), h.shape[1]), h.dtype)])",
    ),
    edit(
        "softmax-without-g",
        "g multiplies only the one-hot term",
        "out_n is a difference of two terms. By how much does the loss move if lse_n moves by 1?",
        "d = -g[:, None] * p -> d = -p",
    ),
    edit(
        "chunk-maximum",
        "the largest logit of a chunk normalises it",
        "Do the probabilities of all chunks sum to 1 in your code? Which saved number makes them do so?",
        "np.exp(z - lse[:, None]) -> np.exp(z - z.max(axis=1, keepdims=True))",
    ),
    edit(
        "exp-of-lse",
        "exp(z) / exp(lse) is the same in floating point",
        "At z = 1000 and lse = 1000, what are exp(z) and exp(lse)? What is their quotient?",
        "np.exp(z - lse[:, None]) -> np.exp(z) / np.exp(lse)[:, None]",
    ),
    edit(
        "log-probabilities",
        "the gradient of lse is the log-probability",
        "The gradient of logsumexp is a softmax. Does a softmax contain a logarithm?",
        "np.exp(z - lse[:, None]) -> (z - lse[:, None])",
    ),
    edit(
        "every-row",
        "every token has all targets of the chunk",
        "Print `d[:, columns].shape` for two targets. How many entries should one row change?",
        "d[own, column[own]] += g[own] -> d[:, column[own]] += g[own]",
    ),
    edit(
        "target-subtracted",
        "the one-hot term is subtracted, like the softmax term",
        "Raise the logit of y_n. Does out_n grow or shrink?",
        "d[own, column[own]] += g[own] -> d[own, column[own]] -= g[own]",
    ),
    edit(
        "last-chunk-moved-back",
        "the last chunk may be moved back to its full size",
        "W has 7 rows, and chunk is 3. Which rows are in two of your chunks? How often does dh count them?",
        "for j in range(0, len(W), chunk): -> chunk = min(chunk, len(W))\n    "
        "for j in [min(j, len(W) - chunk) for j in range(0, len(W), chunk)]:",
        "dW.append(d.T @ h) -> dW[j:] = list(d.T @ h)",
        "np.concatenate(dW) -> np.array(dW)",
    ),
]


def forward(h, W, y, chunk):
    return engine.take_along_axis(engine.log_softmax(h @ W.mT), y[:, None], 1)[:, 0]


def saved(h, W, y, chunk):
    z = h.astype(float) @ W.astype(float).T
    top = z.max(axis=1)
    lse = top + np.log(np.exp(z - top[:, None]).sum(axis=1))
    return {"lse": lse.astype(h.dtype)}


def chunked_logprob_backward(g, h, W, y, lse, chunk):
    dh, dW = np.zeros_like(h), []
    for j in range(0, len(W), chunk):
        rows = W[j : j + chunk]
        z = h @ rows.T
        p = np.exp(z - lse[:, None])
        d = -g[:, None] * p
        column = y - j
        own = (column >= 0) & (column < len(rows))
        d[own, column[own]] += g[own]
        dh += d @ rows
        dW.append(d.T @ h)
    return dh, np.concatenate(dW)
