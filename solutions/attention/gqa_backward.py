"""Suppose first that every query head has its own k and v. Then the backward of attention applies to each head:

    dv = pᵀ g,    dp = g vᵀ,    ds = p ∘ (dp - δ)/√d,    dq = ds k,    dk = dsᵀ q

Here δ is the row sum of dp ∘ p, one number per query.

Sharing is a broadcast of a key head over the r query heads of its group. The backward of a broadcast is a sum. So dk
and dv of a key head are the sums of the r results above. dq needs no sum, because each query head is used once.

The sum needs no loop. Attention treats each query on its own. A group of r heads with n queries each is therefore the
same computation as one head with r·n queries. Consecutive heads are adjacent in memory, so a reshape from (H, n, d) to
(K, r·n, d) stacks the queries of each group. The products pᵀ g and dsᵀ q then sum over all r·n queries of the group.

Two checks follow. With K = H the result is the same as for ordinary attention. If all query heads of a group are equal,
and their g are equal too, dk is r times the dk of one head.

Cost: the same products as with H key heads, because each query still meets m keys. Only the arrays k, v, dk and dv are
smaller, by the factor r. Repeating k and v in memory would lose this gain. The gradients of the repeated arrays would
also be r times as large as dk and dv, until they are summed.

PyTorch: `torch.nn.functional.scaled_dot_product_attention` with `enable_gqa=True` takes k and v with K heads, if K
divides H. Without this option, 1 < K < H is an error. With the option, the fused CPU kernel saves k and v with K heads
and makes no copy for each query head. A hand-written version calls `repeat_interleave`. The backward of that call sums
over the repeated axis, so autograd also returns dk with K heads.

Asked next:

- Why do models share key heads? → Decoding reads all cached keys and values for each new token. Sharing makes this
  cache r times smaller. With 64 query heads and 8 key heads, the cache shrinks by a factor of 8.
- Does sharing make dk smaller or larger? → The gradients of the r heads add up. If they are independent, the standard
  deviation of their sum is √r times as large as for one head. Taking the mean would make dk and dv r times too small.
- Tensor parallelism splits the query heads over more ranks than there are key heads. What must happen to dk? → Several
  ranks hold a copy of the same key head. Each rank has only the terms of its own query heads, so dk must be summed over
  these ranks.
- What changes with `tile` instead of `repeat` in the forward? → Query head h then reads key head h % K. The query heads
  of a group are then K apart, so reshape to (r, K, n, d) and sum over the first axis. Weights that were trained in one
  order are wrong in the other order.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "How many query heads read one key head? What is the backward of copying an array r times?",
    (
        "Compute attention's backward for each query head, with the key head that it reads. Then sum dk and dv over "
        "the r heads of a group."
    ),
    (
        "A loop works. Without a loop, reshape q and g to (K, ..., width), so that a group becomes one long head. "
        "Reshape dq back at the end."
    ),
)
CASES = [
    given("q[6,n,d] k[3,m,d] v[3,m,e]", large=False, note="groups of two"),
    given("q[6,n,d] k[2,m,d] v[2,m,e]", large=False, note="groups of three"),
    given("q[4,n,n] k[2,n,n] v[2,n,n]", large=False, note="all square"),
    given("q[3,n,d] k[1,m,d] v[1,m,e]", large=False, note="one key head"),
    given("q[2,n,d] k[2,m,d] v[2,m,e]", large={"n": 1, "m": 30_000, "d": 2, "e": 2}, note="no sharing"),
    given("q[4,n,d] k[2,1,d] v[2,1,e]", large=False, note="a single key"),
    given(
        "q[4,2,1] k[2,3,1] v[2,3,1]",
        q=[[[300.0], [-1.0]], [[0.5], [300.0]], [[-300.0], [0.25]], [[1.0], [-2.0]]],
        k=[[[3.0], [1.0], [2.0]], [[1.0], [2.5], [-1.0]]],
        v=[[[1.0], [2.0], [-0.5]], [[0.5], [-1.0], [2.0]]],
        smooth=False,
        note="scores of ±900",
    ),
]


def forward(q, k, v):
    r = len(q) // len(k)
    k, v = engine.repeat_interleave(k, r, 0), engine.repeat_interleave(v, r, 0)
    return engine.scaled_dot_product_attention(q, k, v)


def gqa_backward(g, q, k, v):
    # One long head per group: (H, n, d) -> (K, r * n, d).
    rows = q.reshape(len(k), -1, q.shape[-1])
    grads = g.reshape(len(k), -1, g.shape[-1])
    scale = q.shape[-1] ** -0.5
    s = rows @ k.mT * scale
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    dp = grads @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * scale
    return (ds @ k).reshape(q.shape), ds.mT @ rows, p.mT @ grads


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def per_head(g, q, k, v):
    """Return dq, dk and dv of ordinary attention, one of each per query head."""
    scale = q.shape[-1] ** -0.5
    p = softmax(q @ k.mT * scale)
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * scale
    return ds @ k, ds.mT @ q, p.mT @ g


@mistake(
    "not-reduced",
    "each query head has its own key head",
    "Print the shapes of your dk and of k. How many query heads read key head 0?",
)
def gqa_backward(g, q, k, v):
    r = len(q) // len(k)
    return per_head(g, q, k.repeat(r, axis=0), v.repeat(r, axis=0))


@mistake(
    "mean-group",
    "the gradients of a shared head are averaged over its group",
    "Move one key a little. Each of the r heads changes the loss. Do these changes add up, or is their mean taken?",
)
def gqa_backward(g, q, k, v):
    r = len(q) // len(k)
    dq, dk, dv = per_head(g, q, k.repeat(r, axis=0), v.repeat(r, axis=0))
    return dq, *(d.reshape(len(k), r, *d.shape[1:]).mean(axis=1) for d in (dk, dv))


@mistake(
    "first-of-group",
    "only one query head of each group reads the key head",
    "How many query heads read key head 0? How many terms does your dk have?",
)
def gqa_backward(g, q, k, v):
    r = len(q) // len(k)
    dq, dk, dv = per_head(g, q, k.repeat(r, axis=0), v.repeat(r, axis=0))
    return dq, dk[::r].copy(), dv[::r].copy()


@mistake(
    "interleaved-sum",
    "the sum over a group adds query heads that are K apart",
    "With four query heads and two key heads, which query heads read key head 0? Which ones does your sum add?",
)
def gqa_backward(g, q, k, v):
    r = len(q) // len(k)
    dq, dk, dv = per_head(g, q, k.repeat(r, axis=0), v.repeat(r, axis=0))
    return dq, *(d.reshape(r, len(k), *d.shape[1:]).sum(axis=0) for d in (dk, dv))


@mistake(
    "interleaved-groups",
    "query head h reads key head h % K",
    "With four query heads and two key heads, which key head does query head 1 read? Compare `repeat` with `tile`.",
)
def gqa_backward(g, q, k, v):
    r = len(q) // len(k)
    dq, dk, dv = per_head(g, q, np.tile(k, (r, 1, 1)), np.tile(v, (r, 1, 1)))
    return dq, *(d.reshape(r, len(k), *d.shape[1:]).sum(axis=0) for d in (dk, dv))


@mistake(
    "all-heads-summed",
    "all query heads share one key head",
    "Does the second half of the query heads read key head 0?",
)
def gqa_backward(g, q, k, v):
    r = len(q) // len(k)
    dq, dk, dv = per_head(g, q, k.repeat(r, axis=0), v.repeat(r, axis=0))
    return dq, *(np.broadcast_to(d.sum(axis=0), (len(k), *d.shape[1:])).copy() for d in (dk, dv))


MISTAKES = [
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "By how much does a score move when q·k moves by 1?",
        ") * scale ->)",
    ),
    edit(
        "no-row-sum",
        "the slope of softmax is p",
        "Add a constant to a row of scores: p stays the same. Do the rows of your ds sum to 0?",
        "(dp - (dp * p).sum(axis=-1, keepdims=True)) -> dp",
    ),
    edit(
        "sums-multiplied",
        "the sum over a group of products is the product of two sums",
        "Take a group of two heads. How many terms does dk have, and how many has the product of two sums?",
        "scale = -> r = len(q) // len(k); scale =",
        "ds.mT @ rows -> sum(np.split(ds, r, axis=1)).mT @ sum(np.split(rows, r, axis=1))",
    ),
    edit(
        "softmax-not-shifted",
        "the exponential of a score is finite",
        "What is exp(1000) in floating point? Which number may be subtracted from a row without changing its softmax?",
        "s - s.max(axis=-1, keepdims=True) -> s",
    ),
    edit(
        "one-maximum",
        "one maximum is enough for all heads",
        "One score is 900, and a row of another head has none above 2. What is exp(2 - 900)?",
        "s.max(axis=-1, keepdims=True) -> s.max()",
    ),
    edit(
        "one-maximum-per-head",
        "one maximum is enough for all rows of a head",
        "One row of a head has a score of 900, and another has none above 0. What is exp(0 - 900)?",
        "s.max(axis=-1, keepdims=True) -> s.reshape(len(q), -1).max(axis=1).repeat(q.shape[1]).reshape(len(k), -1, 1)",
    ),
]
