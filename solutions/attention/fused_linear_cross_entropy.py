"""Let d be the gradient of the logits. The backward of the mean cross-entropy is softmax minus one-hot, and the logits
are a matrix product:

    d = g/N · (softmax(z) - onehot(y)),    dh = d W,    dW = dᵀ h

Row n of d depends only on row n of z. So one chunk of tokens can run through the loss and through its backward before
the next chunk starts. Let h_c, z_c and d_c be the rows of one chunk:

    z_c = h_c Wᵀ,    dh_c = d_c W,    dW = Σ_c d_cᵀ h_c

A chunk's rows of dh are complete after this chunk. dW is a sum over all tokens, so each chunk adds to it.

The mean runs over all N tokens. The divisor is therefore N in every chunk. The chunks contribute *sums* of losses, and
one division by N at the end gives L. A mean of the chunks' means would give the tokens of a short last chunk too much
weight.

A backward in the same pass as the forward is possible because the loss is a scalar. Its cotangent g only scales dh and
dW, and a factor can be applied at any time.

Cost: three matrix products of N·V·D multiplications each, as in the usual forward and backward. Nothing is computed
twice. The logits and their gradient take chunk·V numbers instead of N·V. The term that is added to dW has V·D numbers,
like dW. At N = 8192 and V = 128,256, the logits take 3.9 GiB in float32, and their gradient takes as much again. With a
chunk of 256 tokens, each of the two takes 125 MiB.

PyTorch: `F.cross_entropy(h @ W.T, y)` computes all logits, and saves their log-softmax, an array of the same size.
Backward computes the gradient of all logits. PyTorch 2.13 also has `F.linear_cross_entropy(h, W, y)`, which does the
same by default. With `options=nn.LinearCrossEntropyOptions()`, the function works in chunks of tokens and computes dh
and dW in the forward. Its backward multiplies dh and dW by the upstream gradient in place. A second backward then
raises an error, unless the options have `allow_retain_graph=True`. A second derivative is not available.

Asked next:

- h is the only input that needs a gradient. What can you leave out? → Leave out dᵀ h, which is one of the three
  products. dh still needs the logits and d.
- The upstream gradient is one number per token, as in a policy gradient. Can the backward still run within the forward?
  → Not for dW. dW = Σ_n g_n d_nᵀ h_n mixes the tokens before g is known. So backward must recompute the logits of each
  chunk. PyTorch recomputes them for `reduction="none"`.
- How do you choose the chunk? → Small chunks save memory, but their matrix products have few rows and use the hardware
  badly. Each chunk also reads W twice and updates all of dW. A chunk of N·D/V tokens makes z_c as large as h.
- The inputs are bfloat16. What should stay in float32? → Keep dW, the sum over the chunks, in float32. Many small terms
  are lost when they are added to a large bfloat16 number. The softmax and the loss of a chunk should be float32 as
  well.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given

HINTS = (
    "Which rows of the logits does the gradient of one token need? When is the upstream gradient g first needed?",
    (
        "For each chunk of rows, compute the logits, the losses and softmax minus one-hot. Then compute this chunk's "
        "rows of dh and its term of dW. Is the divisor N or the length of the chunk?"
    ),
    (
        "Loop over `range(0, N, chunk)` with a slice of rows. In the loop, scale d by g / ... . Then d @ W gives rows "
        "of dh, and a product of d and h is added to dW. Add up the losses of all chunks, and divide the total once."
    ),
)
OUTPUTS = ("loss",)
CASES = [
    given("h[5,D] W[V,D] y[5]", y=below("V"), chunk=2, large=False, note="a short last chunk"),
    given("h[6,D] W[V,D] y[6]", y=below("V"), chunk=3, large=False, note="two full chunks"),
    given("h[3,D] W[V,D] y[3]", y=below("V"), chunk=1, large=False, note="one token per chunk"),
    given("h[4,D] W[V,D] y[4]", y=below("V"), chunk=9, large=False, note="one chunk for all"),
    given("h[3,D] W[3,D] y[3]", y=[2, 2, 0], chunk=2, large=False, note="repeated labels"),
    given(
        "h[3,2] W[3,2] y[3]",
        h=[[1000.0, 1.0], [-900.0, 2.0], [0.0, -1.0]],
        W=[[1.0, 3.0], [0.5, -1.0], [-1.0, 2.0]],
        y=[1, 0, 2],
        chunk=2,
        smooth=False,
        note="logits of ±1000",
    ),
    given(
        "h[N,D] W[V,D] y[N]",
        y=below("V"),
        chunk=8,
        large={"N": 1200, "V": 2000, "D": 2},
        memory=2 << 20,
        because="an array of N x V numbers is too large",
    ),
]
EQUIVALENT = {"off by one: for i in range(0, N, chunk): -> ...": "it adds at most an empty chunk"}
MISTAKES = [
    edit(
        "divide-by-chunk",
        "the mean of a chunk is a mean over its own tokens",
        "Over how many tokens is the mean in L? Does this number depend on `chunk`?",
        "d *= g / N -> d *= g / len(d)",
    ),
    edit(
        "no-mean",
        "the loss is a sum over the tokens",
        "If every token is in the batch twice, should the gradient of a token stay the same?",
        "d *= g / N -> d *= g",
    ),
    edit(
        "mean-of-means",
        "the mean of the chunks' means is the mean over all tokens",
        (
            "Take five tokens in chunks of two. In your loss, how much does the last token count, and how much does "
            "the first token count?"
        ),
        "log_p[own].sum() -> log_p[own].mean()",
        "return loss / N, -> return loss / (-(-N // chunk)),",
    ),
    edit(
        "chunks-count-alike",
        "every chunk has the same weight, however many tokens it has",
        "Take five tokens in chunks of two. Which weight has the fifth token in L, and which in your gradients?",
        "log_p[own].sum() -> log_p[own].mean()",
        "return loss / N, -> return loss / (-(-N // chunk)),",
        "d *= g / N -> d *= g / (len(d) * -(-N // chunk))",
    ),
    edit(
        "dW-overwritten",
        "dW is complete after one chunk",
        "How many tokens contribute to each row of dW? How many of these tokens are in the last chunk?",
        "dW += d.T -> dW = d.T",
    ),
    edit(
        "materialised",
        "the logits of all tokens may be in memory at once",
        (
            "How many bytes do the logits of 8192 tokens and 128,256 words take? How many rows of logits do you need "
            "at a time?"
        ),
        "range(0, N, chunk) -> range(0, N, N)",
        "slice(i, i + chunk) -> slice(i, i + N)",
    ),
    edit(
        "whole-chunks-only",
        "N is a multiple of `chunk`",
        "Take five tokens in chunks of two. In which chunk is the fifth token?",
        "range(0, N, chunk) -> range(0, N // chunk * chunk, chunk)",
    ),
    edit(
        "labels-of-the-first-chunk",
        "the labels of a chunk start at y[0]",
        "The second chunk starts at token `chunk`. Where do its labels start?",
        "np.arange(len(z)), y[rows] -> np.arange(len(z)), y[: len(z)]",
    ),
    edit(
        "no-one-hot",
        "the gradient of the logits is the softmax",
        "Raise the logit of the right label. Does the loss grow or shrink? Which sign does your gradient have there?",
        "d[own] -= 1 -> pass",
    ),
    edit(
        "loss-times-g",
        "the upstream gradient scales the loss too",
        "g is the derivative of a later result with respect to L. Does L itself depend on g?",
        "return loss / N, -> return loss * g / N,",
    ),
    edit(
        "one-shift",
        "one maximum is enough for all rows of a chunk",
        "The row maxima are 1000 and -900. After a shift by 1000, what are the exponentials of the second row?",
        "z.max(axis=1, keepdims=True) -> z.max()",
    ),
    edit(
        "not-shifted",
        "the exponential of a logit is finite",
        "What is exp(1000) in floating point? Which number may be subtracted from a row without changing its softmax?",
        "z -= z.max(axis=1, keepdims=True) -> pass",
    ),
    edit(
        "every-row-every-label",
        "each row of a chunk has all the labels of the chunk",
        "What does `d[:, y]` select for two rows and two labels: two elements, or four?",
        "d[own] -= 1 -> d[:, y[rows]] -= 1",
    ),
]


def forward(h, W, y, chunk):
    return engine.cross_entropy(h @ W.mT, y)


def fused_linear_cross_entropy(g, h, W, y, chunk):
    N = len(h)
    loss, dh, dW = 0, [], np.zeros_like(W)
    for i in range(0, N, chunk):
        rows = slice(i, i + chunk)
        z = h[rows] @ W.T
        z -= z.max(axis=1, keepdims=True)
        own = np.arange(len(z)), y[rows]
        log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        loss -= log_p[own].sum()
        d = np.exp(log_p)
        d[own] -= 1
        d *= g / N
        dh.append(d @ W)
        dW += d.T @ h[rows]
    return loss / N, np.concatenate(dh), dW
