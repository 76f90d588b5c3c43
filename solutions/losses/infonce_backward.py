"""InfoNCE (van den Oord et al., 2018) is a softmax cross-entropy whose logits are S. Call the rows of q queries and the
rows of k keys. The label of row i is i, because the key of the same object is in column i. With p = softmax(S) and the
identity matrix I, the gradient of the logits is

    dS = g/N · (p - I)

S is a matrix product of q and kᵀ, divided by T. So

    dq = dS @ k / T,    dk = dSᵀ @ q / T

A query is pulled to its own key with weight 1 - p_ii, and pushed from every other key k_j with weight p_ij. The weights
of the pushes sum to the weight of the pull. A negative that is similar to the query has a large p_ij and so a large
push. A small T makes p sharper, so the negatives most similar to the query get almost all of the push.

The softmax runs along rows, so the loss is not symmetric in q and k. Still, every key is in every row, so every key
gets a gradient from every query.

Cost: three products of about N²·d multiplications each, if S is computed again. The forward takes one such product. The
N x N softmax dominates the memory if N is much larger than d. If one logsumexp per row is saved, the rows can be
processed in chunks.

PyTorch: `F.cross_entropy(q @ k.T / T, torch.arange(len(q)))` has this gradient. `LogSoftmaxBackward0` saves the N x N
log-softmax. CLIP averages two losses: this one, and the same loss with q and k exchanged. The second loss has its
softmax along the columns of S. open_clip calls `F.cross_entropy` twice, and a learned scale takes the place of 1/T.

Asked next:

- q and k are normalised to length 1. What does this change in backward? → Each entry of S is then a cosine divided by
  T. The gradient of the vector before the normalisation is the part of dq that is orthogonal to q, divided by the
  length of the original vector. So the gradient changes only the direction of the vector.
- The temperature is learned. What is dT? → S is proportional to 1/T, so dT = -(1/T) · Σ dS · S. CLIP learns the log of
  the scale 1/T, whose gradient is Σ dS · S, so the scale stays positive.
- The batch is split over ranks, and each rank gathers all keys. What must backward exchange? → A rank's queries give
  gradients to the keys of all ranks. So the gradients of the gathered keys must be summed over the ranks and scattered
  back. A plain `all_gather` of `torch.distributed` has no backward, so each rank would lose the gradients from the
  other ranks' queries.
- Why do the gradients vanish in a batch of one? → The only probability is 1, which is also its target, so dS is 0. With
  few negatives the task is easy, p_ii soon approaches 1, and little is learned. So contrastive training uses large
  batches or a queue of keys.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "Which loss contains log_softmax, and what is the label of row i? How does S depend on q and on k?",
    (
        "The gradient of S is softmax minus the identity, times g/N. Then use the rule of a matrix product, and divide "
        "by T."
    ),
    "dq is `dS @ k / T`. For dk, which matrix must you transpose, and by which matrix must you multiply it?",
)
CASES = [
    given("q[N,d] k[N,d]", T=0.5),
    given("q[N,d] k[N,d]", T=2.0, large=False, note="T=2"),
    given("q[3,3] k[3,3]", T=0.07, q=normal(0.3), k=normal(0.3), note="square, T=0.07"),
    given("q[1,d] k[1,d]", T=0.5, note="one object"),
    given(
        "q[3,2] k[3,2]",
        q=[[30.0, 0.0], [0.0, 20.0], [-30.0, 10.0]],
        k=[[20.0, 0.0], [40.0, -10.0], [-20.0, 20.0]],
        T=1.0,
        smooth=False,
        note="logits of ±1000",
    ),
    given(
        "q[3,2] k[3,2]",
        q=[[1.0, 2.0], [1.0, 2.0], [0.0, -1.0]],
        k=[[0.5, 1.0], [0.5, 1.0], [2.0, 0.0]],
        T=1.0,
        note="equal rows",
    ),
]
MISTAKES = [
    edit(
        "no-T",
        "the temperature matters only inside the softmax",
        "By how much does an entry of S move if q_i · k_j moves by 1?",
        "dS = ... -> dS = g * p / N",
    ),
    edit(
        "dk-not-transposed",
        "dk is dS @ q",
        "In which row or column of S does the key k_j occur?",
        "dS.T @ q -> dS @ q",
    ),
    edit(
        "swapped-returns",
        "dq is dS times q, and dk is dSᵀ times k",
        "S is a product of q and k. Which of the two is the slope of S with respect to q?",
        "dS @ k, dS.T @ q -> dS @ q, dS.T @ k",
    ),
    edit(
        "positives-only",
        "only the pairs on the diagonal have a gradient",
        "Which keys does the normaliser of row i contain?",
        "dS = ... -> dS = np.diag(np.diag(g * p / (N * T)))",
    ),
    edit(
        "column-softmax",
        "the softmax runs along the columns",
        "With which entries of S does S_ij compete: those of its row or those of its column?",
        "S -= S.max(axis=1, keepdims=True) -> S -= S.max(axis=0)",
        "p = e / e.sum(axis=1, keepdims=True) -> p = e / e.sum(axis=0)",
    ),
    edit(
        "one-softmax",
        "one softmax runs over all pairs",
        "What must sum to 1: a row of p or the whole matrix?",
        "p = e / e.sum(axis=1, keepdims=True) -> p = e / e.sum()",
        "S -= S.max(axis=1, keepdims=True) -> S -= S.max()",
    ),
    edit(
        "one-maximum",
        "one maximum is enough for all rows",
        "One row has a logit of 1200, and another has none above 400. What is exp(400 - 1200)?",
        "S.max(axis=1, keepdims=True) -> S.max()",
    ),
    edit(
        "negatives-only",
        "the denominator contains only the negatives",
        "Does the softmax of a row leave out its own key? What must a row of p sum to?",
        "S -= ... -> S[np.diag_indices(N)] = -np.inf; S -= S.max(axis=1, keepdims=True, initial=-1e30)",
        "e.sum(axis=1, keepdims=True) -> np.maximum(e.sum(axis=1, keepdims=True), 1e-30)",
    ),
    edit(
        "positive-twice",
        "the denominator contains the positive pair and, once more, all keys",
        "How often does exp(S_ii) occur in the sum over row i?",
        "e = ... -> e = np.exp(S) * (1 + np.eye(N, dtype=S.dtype))",
    ),
    edit(
        "no-label",
        "the gradient of S is the softmax",
        "If p_ii is 1 for every i, the gradient must be 0. Is it 0 in your code?",
        "p[np.diag_indices(N)] -= 1 -> pass",
    ),
    edit(
        "divide-by-NN",
        "the mean runs over all pairs",
        "How many terms does the sum in L have?",
        "(N * T) -> (N * N * T)",
    ),
    edit(
        "no-mean",
        "the loss is a sum over objects",
        "Which factor does the task's formula for L have before the sum?",
        "(N * T) -> T",
    ),
    edit(
        "both-directions",
        "the loss averages over rows and columns, as in CLIP",
        "Does the task also take a softmax along the columns of S?",
        "return ... -> c = np.exp(q @ k.T / T - (q @ k.T / T).max(axis=0)); c /= c.sum(axis=0); "
        "c[np.diag_indices(N)] -= 1; dS = (dS + g * c / (N * T)) / 2; return dS @ k, dS.T @ q",
    ),
    edit(
        "no-max-shift",
        "exp of a logit cannot overflow",
        "exp(1000) is inf, and inf/inf is NaN. What can you subtract from a row without changing its softmax?",
        "S -= S.max(axis=1, keepdims=True) -> pass",
    ),
    edit(
        "sign",
        "the gradient of S is the identity minus the softmax",
        "A descent step must raise S_ii. Does a step with your gradient raise it?",
        "g * p -> -g * p",
    ),
    edit(
        "epsilon-in-log",
        "a small number may be added to p in log p",
        "The pair on the diagonal has the probability 0. What is p/(p + 1e-8) there, and what should it be?",
        "p[np.diag_indices(N)] -= 1 -> own = np.eye(N, dtype=p.dtype) / (p + 1e-8); "
        "p *= (own * p).sum(axis=1, keepdims=True) - own",
    ),
]


def forward(q, k, T):
    S = q @ k.T / T
    return engine.cross_entropy(S, np.arange(q.shape[0]))


def infonce_backward(g, q, k, T):
    N = len(q)
    S = q @ k.T / T
    S -= S.max(axis=1, keepdims=True)
    e = np.exp(S)
    p = e / e.sum(axis=1, keepdims=True)
    p[np.diag_indices(N)] -= 1
    dS = g * p / (N * T)  # already divided by T, for dq and dk
    return dS @ k, dS.T @ q
