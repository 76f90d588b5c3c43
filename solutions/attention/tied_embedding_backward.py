"""Give the two uses of E two names: A for the input embedding and B for the output layer. The forward is then logits =
B h with h = (1/n) Σ_t A[ids_t]. Differentiate with respect to A and to B as if they were different matrices. Because A
and B are both E, the gradient of E is the sum of dA and dB.

The output layer is a matrix times a vector:

    dB = g hᵀ,    dh = Bᵀ g

The mean gives each of the n copied rows the gradient dh/n. The lookup adds this gradient to the row that was copied:

    dA[r] = (number of times r occurs in ids) · dh/n

So dE = g hᵀ + dA. The first term is an outer product with a row for every word of the vocabulary. The second term has
nonzero rows only for the words in ids.

A check: logits are quadratic in E. If E is doubled, the logits become four times as large, so Σ dE ∘ E = 2 Σ g ∘
logits. An answer with only one of the two terms gives Σ g ∘ logits.

Cost: V·D multiplications for each of g hᵀ and Eᵀ g, and n·D additions for the lookup. Without tying, the gradient of
the embedding alone would take only the n·D additions and could be sparse.

PyTorch: tying is an assignment, as in `head.weight = embedding.weight`. The module then has one parameter, and autograd
accumulates both gradients in its `.grad`. `EmbeddingBackward0` makes a dense gradient of shape (V, D) with scattered
additions. With `sparse=True` its gradient is sparse, but the sum with the output layer's gradient is dense.

Asked next:

- Which optimisation of the embedding does tying destroy? → Tying destroys sparse updates, which change only the rows of
  the current batch. The output layer gives every row a gradient, because the softmax gives every word some probability.
- The model is split over a pipeline, with the embedding on the first rank and the output layer on the last rank. What
  must happen to dE? → Each rank holds a copy of E and one of the two terms. The two ranks must sum their terms before
  the optimiser step. Otherwise the copies drift apart.
- The input embedding is multiplied by √D, as in the original Transformer. What changes in dE? → The factor √D
  multiplies dA and appears in h. The term g hᵀ keeps its form, with the scaled h.
- How does weight decay treat a tied matrix? → It must decay E only once. A loop over the modules meets E twice and
  would decay it twice. `parameters()` returns a shared parameter once.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given

HINTS = (
    "Suppose that the two uses of E were two matrices A and B. What are their gradients, and how do they combine?",
    (
        "The output layer contributes an outer product of g and h. The input contributes the gradient of h, divided by "
        "n and added to the row of each token."
    ),
    "Start dE with the outer product. Then call `np.add.at(dE, ids, ...)` with the gradient of h, divided by n.",
)
CASES = [
    given("E[6,D] ids[4]", ids=below(6), large=False, note="four of six words"),
    given(
        "E[V,D] ids[n]",
        ids=below("V"),
        large={"V": 20_000, "D": 4, "n": 20_000},
        memory=16 << 20,
        because="a matrix of n x V numbers",
        note="any number of words and tokens",
    ),
    given("E[4,D] ids[4]", ids=[1, 1, 3, 1], large=False, note="a word three times"),
    given("E[3,D] ids[2]", ids=[2, 2], large=False, note="one word, twice"),
    given("E[V,V] ids[1]", ids=[0], large=False, note="a single token, square"),
    given("E[3,1] ids[7]", ids=below(3), large=False, note="more tokens than words"),
]
MISTAKES = [
    edit(
        "one-hot",
        "the gradient of a lookup needs a matrix with one row for each token and one column for each word",
        "How many numbers does this matrix have for 20,000 tokens and 20,000 words? How many of them are not 0?",
        "np.add.at(dE, ids, E.T @ g / len(ids)) -> one = np.zeros((len(ids), len(E)), E.dtype); "
        "one[np.arange(len(ids)), ids] = 1; dE += np.outer(one.sum(axis=0), E.T @ g / len(ids)).astype(E.dtype)",
    ),
    edit(
        "head-only",
        "E is used only by the output layer",
        "How many times does the forward read E? Move E[ids[0]] a little. Does h change?",
        "np.add.at(dE, ids, E.T @ g / len(ids)) -> pass",
    ),
    edit(
        "input-only",
        "E is used only by the lookup",
        "How many times does the forward read E? Take a word that is not in ids. Does its logit depend on E?",
        "dE = np.outer(g, h) -> dE = np.zeros_like(E)",
    ),
    edit(
        "fancy-plus-equals",
        "`dE[ids] += ...` counts every occurrence of an id",
        "Run `v = np.zeros(2); v[[0, 0]] += 1` and print v. How many times was 1 added?",
        "np.add.at(dE, ids, E.T @ g / len(ids)) -> dE[ids] += E.T @ g / len(ids)",
    ),
    edit(
        "no-mean",
        "h is the sum of the rows",
        "h is a mean over the tokens. If a row of E moves by 1, how far does h move?",
        "E.T @ g / len(ids) -> E.T @ g",
    ),
    edit(
        "mean-over-words",
        "the mean divides by the number of distinct words",
        "Take ids = [1, 1, 3, 1]. How many rows are averaged, and what is the weight of E[1] in h?",
        "/ len(ids) -> / len(set(ids.tolist()))",
    ),
    edit(
        "outer-with-one-row",
        "the output layer multiplies the embedding of the last token",
        "Which vector does the output layer multiply: one row of E, or the mean of the rows?",
        "h = E[ids].mean(axis=0) -> h = E[ids[-1]]",
    ),
    edit(
        "averaged",
        "the gradient of a shared matrix is the mean over its uses",
        "Move E a little. Each of the two uses changes the loss. Do these changes add up, or is their mean taken?",
        "return dE -> return dE / 2",
    ),
    edit(
        "mean-over-vocabulary",
        "the mean runs over the vocabulary",
        "Is h the mean of all rows of E, or of one row for each id?",
        "/ len(ids) -> / len(E)",
    ),
    edit(
        "own-logit-only",
        "the row of a token reaches only the logit of that token",
        "h is part of every logit. Which elements of g reach dh?",
        "E.T @ g / len(ids) -> (g[:, None] * E)[ids] / len(ids)",
    ),
    edit(
        "looked-up-logits-only",
        "h reaches only the logits of the words in ids",
        "How many logits does the output layer compute from h? Which elements of g reach dh?",
        "E.T @ g / len(ids) -> np.where(np.isin(np.arange(len(E)), ids), g, 0) @ E / len(ids)",
    ),
    edit(
        "one-term-per-id",
        "dh is the sum of one term for each id",
        "How many logits does the output layer compute from h? How many terms does dh have?",
        "E.T @ g / len(ids) -> E[ids].T @ g[ids] / len(ids)",
    ),
]


def forward(E, ids):
    return engine.embedding(ids, E).mean(axis=0) @ E.mT


def tied_embedding_backward(g, E, ids):
    h = E[ids].mean(axis=0)
    dE = np.outer(g, h)
    np.add.at(dE, ids, E.T @ g / len(ids))
    return dE
