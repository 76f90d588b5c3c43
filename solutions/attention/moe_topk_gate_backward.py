"""Fix the choice of the experts. Then out is a sum of products of a weight and an expert's result, y_ni = x_n W_i:

    out_n = Σ_i q_ni y_ni    over the chosen experts i

The product rule gives the gradient of each factor. A weight receives a dot product, and an expert's result receives g
times the weight:

    dq_ni = g_n · y_ni,    dy_ni = q_ni g_n

Each expert is a matrix product. The gradient of an expert is a sum over its tokens, and the gradient of a token is a
sum over its experts:

    dW_i = Σ_n q_ni x_nᵀ g_n,    dx_n = Σ_i q_ni g_n W_iᵀ

The weights of a token are a softmax over k logits. The backward of softmax applies to these k logits only:

    dlogits_ni = q_ni (dq_ni - Σ_j dq_nj q_nj)    for chosen i, and 0 otherwise

Two checks follow. The rows of dlogits sum to 0, because adding a constant to all logits of a token changes nothing.
With k = 1 the weight is always 1, so dlogits is 0: the router learns nothing from this loss.

Choosing is not differentiable. Almost everywhere, a small change of the logits changes no choice. When a chosen logit
falls below one that was not chosen, the output jumps, because another expert enters the sum.

Cost: k expert products per token in the forward, and twice as many in the backward. Recomputing y for dq takes k more
products per token. The number of experts E affects the memory of W and dW, but not the number of products. For clarity,
the code copies the k matrices of each token. An implementation sorts the tokens by expert instead, so that each expert
has one large product.

PyTorch: a router calls `topk`, and `TopkBackward0` saves the indices and scatters the gradient into zeros. Routers that
divide the chosen probabilities by their sum may take the softmax before or after `topk`, with the same result. Without
this division the weights depend on all logits, and then the other logits receive a gradient too. `torch.topk` does not
promise which of equal elements it returns.

Asked next:

- With k = 1 and renormalised weights the router gets no gradient. What do Switch Transformers do? → They multiply the
  single expert by its probability under the softmax over all experts, without renormalising. The weight then depends on
  the logits.
- An expert receives no tokens for many steps. What happens to it? → Its gradient is 0. When the optimiser's momentum
  has decayed, only weight decay moves the expert. The gradient of its logit is 0 as well, so this loss never raises the
  logit directly. The expert comes back only by chance, for example if the logit of a chosen expert falls below the
  logit of this expert. A balancing loss or a balancing bias brings the expert back on purpose.
- Your code evaluates all experts and masks the results with weights of 0. Is the gradient right? → Yes, as long as all
  numbers are finite. The code takes E/k times as many products. An overflow in an expert that was not chosen becomes
  NaN, because 0 times infinity is NaN.
- Why do routers compute in float32 when the rest runs in bfloat16? → Between 8 and 16, bfloat16 numbers are 1/16 apart,
  so close logits become equal or change their order. If backward recomputes the logits with another order of sums, it
  may then choose other experts than the forward.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "With the choice fixed, out is a sum of products. What is the gradient of each factor, for a chosen expert?",
    (
        "dq is the dot product of g and the expert's result. Apply softmax's backward to the k chosen logits. dW and "
        "dx contain the weight q."
    ),
    (
        "Take the k chosen logits with `np.take_along_axis`. Keep q and dq in the shape (N, k). Put q * (dq - ...) "
        "back with `np.put_along_axis`, and add the terms of dW with `np.add.at`."
    ),
)
CASES = [
    given("x[6,d] W[4,d,e] logits[6,4]", k=2, note="two of four experts"),
    given("x[5,d] W[3,d,e] logits[5,3]", k=1, large=False, note="one expert per token"),
    given("x[3,d] W[3,d,e] logits[3,3]", k=3, large=False, note="all experts"),
    given("x[1,d] W[4,d,e] logits[1,4]", k=3, large=False, note="one token"),
    given(
        "x[3,d] W[3,d,e] logits[3,3]",
        logits=[[1.0, 1.0, 1.0], [0.0, 2.0, 0.0], [3.0, 1.0, 3.0]],
        k=2,
        smooth=False,
        note="equal logits",
    ),
    given(
        "x[2,d] W[4,d,e] logits[2,4]",
        logits=[[1000.0, 999.0, -1000.0, 998.0], [-1000.0, -999.0, -998.5, -2000.0]],
        k=2,
        smooth=False,
        large=False,
        note="logits of ±1000",
    ),
]
MISTAKES = [
    edit(
        "forgets-renormalisation",
        "the weights are the chosen entries of a softmax over all logits",
        "Do the weights of a token sum to 1 in your code? Over which logits does the task's softmax run?",
        "q = e ... -> q = e / np.exp(logits - top[:, :1]).sum(axis=1, keepdims=True)",
    ),
    edit(
        "dW-without-q",
        "each chosen expert receives the whole gradient of out",
        "out_n contains q_ni · (x_n @ W_i). By how much does out_n move if x_n @ W_i moves by 1?",
        "np.add.at(dW, ... -> np.add.at(dW, chosen, (x[:, :, None] * g[:, None])[:, None])",
    ),
    edit(
        "dx-without-q",
        "x receives the gradient of each chosen expert without its weight",
        "out_n contains q_ni · (x_n @ W_i). By how much does out_n move if x_n @ W_i moves by 1?",
        "dx = ... -> dx = np.einsum('nkde,ne->nd', experts, g)",
    ),
    edit(
        "dx-of-one-expert",
        "only the first chosen expert reads x",
        "How many experts read x_n? How many terms does your dx have?",
        "dx = ... -> dx = np.einsum('nde,ne->nd', experts[:, 0], dy[:, 0])",
    ),
    edit(
        "dW-assigned",
        "an expert has at most one token",
        "Two tokens choose the same expert. How many terms does dW need for this expert?",
        "np.add.at(dW, chosen, -> dW.__setitem__(chosen,",
    ),
    edit(
        "dW-once-a-place",
        "in one of the k places, an expert has at most one token",
        "Run `v = np.zeros(2); v[[0, 0]] += 1` and print v. How many times was 1 added?",
        "np.add.at(dW, ... -> for j in range(k): dW[chosen[:, j]] += x[:, :, None] * dy[:, j, None]",
    ),
    edit(
        "router-detached",
        "the weights of the experts are constants",
        "Only the choice is a constant. Does q change if a chosen logit moves?",
        "np.put_along_axis(dlogits, ... -> pass",
    ),
    edit(
        "no-row-sum",
        "the slope of softmax is q",
        "Add 1 to all logits of a token: out stays the same. Do the rows of dlogits sum to 0?",
        "(dq - (dq * q).sum(axis=1, keepdims=True)) -> dq",
    ),
    edit(
        "sigmoid-like-softmax",
        "each weight depends only on its own logit",
        "Raise one chosen logit. What happens to the weights of the other chosen experts?",
        "(dq - (dq * q).sum(axis=1, keepdims=True)) -> (1 - q) * dq",
    ),
    edit(
        "ties-to-the-last",
        "if logits are equal, the expert with the higher index comes first",
        (
            "All logits of a token are equal, and k = 2. Which experts does the task choose? Which experts does your "
            "code choose?"
        ),
        "chosen = ... -> chosen = np.argsort(logits, axis=1, kind='stable')[:, ::-1][:, :k]",
    ),
    edit(
        "not-shifted",
        "the exponential of a logit is finite",
        "What is exp(1000) in floating point? Which number may be subtracted from a row without changing its softmax?",
        "np.exp(top - top[:, :1]) -> np.exp(top)",
    ),
]


def forward(x, W, logits, k):
    top, chosen = engine.topk(logits, k)
    y = engine.einsum("nd,nkde->nke", x, W[chosen])
    return engine.einsum("nk,nke->ne", engine.softmax(top), y)


def moe_topk_gate_backward(g, x, W, logits, k):
    chosen = np.argsort(-logits, axis=1, kind="stable")[:, :k]
    top = np.take_along_axis(logits, chosen, axis=1)
    e = np.exp(top - top[:, :1])
    q = e / e.sum(axis=1, keepdims=True)
    experts = W[chosen]
    dq = np.einsum("ne,nd,nkde->nk", g, x, experts)
    dy = q[:, :, None] * g[:, None]
    dx = np.einsum("nkde,nke->nd", experts, dy)
    dW, dlogits = np.zeros_like(W), np.zeros_like(logits)
    np.add.at(dW, chosen, x[:, None, :, None] * dy[:, :, None])
    ds = q * (dq - (dq * q).sum(axis=1, keepdims=True))
    np.put_along_axis(dlogits, chosen, ds, axis=1)
    return dx, dW, dlogits


@mistake(
    "dense-router",
    "all experts were evaluated for every token",
    "Which experts were evaluated for a token? Move a logit that was not chosen: does `out` move?",
)
def moe_topk_gate_backward(g, x, W, logits, k):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = p / p.sum(axis=1, keepdims=True)
    dp = np.einsum("ne,nd,kde->nk", g, x, W)
    dx = np.einsum("nk,ne,kde->nd", p, g, W)
    dW = np.einsum("nk,nd,ne->kde", p, x, g)
    return dx, dW, p * (dp - (dp * p).sum(axis=1, keepdims=True))


@mistake(
    "router-sees-all",
    "the logits receive the gradient of a softmax over all experts",
    "Move a logit that was not chosen: does `out` move? What is your gradient there?",
)
def moe_topk_gate_backward(g, x, W, logits, k):
    chosen = np.argsort(-logits, axis=1, kind="stable")[:, :k]
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = p / p.sum(axis=1, keepdims=True)
    mask = np.zeros(logits.shape, bool)
    np.put_along_axis(mask, chosen, True, axis=1)
    q = np.where(mask, p, 0) / np.where(mask, p, 0).sum(axis=1, keepdims=True)
    dp = np.einsum("ne,nd,kde->nk", g, x, W)
    dx = np.einsum("nk,ne,kde->nd", q, g, W)
    dW = np.einsum("nk,nd,ne->kde", q, x, g)
    return dx, dW, p * (dp - (dp * p).sum(axis=1, keepdims=True))


@mistake(
    "all-ties-chosen",
    "every expert whose logit equals the k-th largest logit is chosen",
    "Two logits are equal, and k is 1. How many experts does your code choose?",
)
def moe_topk_gate_backward(g, x, W, logits, k):
    mask = logits >= np.sort(logits, axis=1)[:, -k:][:, :1]
    e = np.where(mask, np.exp(logits - logits.max(axis=1, keepdims=True)), 0)
    q = e / e.sum(axis=1, keepdims=True)
    dp = np.einsum("ne,nd,kde->nk", g, x, W)
    dx = np.einsum("nk,ne,kde->nd", q, g, W)
    return dx, np.einsum("nk,nd,ne->kde", q, x, g), q * (dp - (dp * q).sum(axis=1, keepdims=True))
