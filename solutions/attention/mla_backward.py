"""Draw the graph from x to the output. x feeds c and kr. c feeds the keys and the values of each head, and kr feeds the
scores of each head. Each arrow that leaves a node contributes one term to the gradient of the node.

Each head has the backward of attention. The score is a dot product of vectors of length d + t, so the scale is 1/√(d +
t). Let δ be the row sum of dp ∘ p:

    dv = pᵀ g,    dp = g vᵀ,    ds = p ∘ (dp - δ)/√(d + t),    dk = dsᵀ qn

The positional key meets the queries qr of every head, so its gradient is a sum over the heads:

    dkr = Σ_h ds_hᵀ qr_h

The latent is read 2H times, once for the keys and once for the values of each head:

    dc = Σ_h (dk_h Uk_hᵀ + dv_h Uv_hᵀ),    dUk_h = cᵀ dk_h,    dUv_h = cᵀ dv_h

x is read twice:

    dx = dc Wdᵀ + dkr Wrᵀ,    dWd = xᵀ dc,    dWr = xᵀ dkr

A check: scaling Wd by a factor and dividing all Uk and Uv by the same factor changes no output. Therefore Σ dWd ∘ Wd =
Σ dUk ∘ Uk + Σ dUv ∘ Uv.

Cost: the forward takes m·D·(r + t) multiplications for c and kr, and m·r·H·(d + e) for keys and values. Attention takes
H·n·m·(d + t + e). Each product has two gradients, so a full backward takes twice as many multiplications. This backward
takes fewer, because it leaves out the gradients of the queries. The code also recomputes the forward. Saving c and kr
would take r + t numbers per token.

PyTorch: `torch.nn` has no latent attention. Model code gives kr to all heads with `expand`, concatenates k and kr, and
calls `scaled_dot_product_attention` with a width of d + t. The backward of `expand` is the sum over the heads. On the
CPU, a value width e different from d + t leads to the composed path, which saves p.

Asked next:

- What does the cache hold in decoding, and why does it not need the keys of each head? → The cache holds c and kr,
  which are r + t numbers per token. qn (c Uk)ᵀ = (qn Ukᵀ) cᵀ, so each head multiplies its query by Ukᵀ and compares it
  with c directly. This rearrangement is called absorbing Uk into the query.
- DeepSeek-V3 has H = 128, d = e = 128, t = 64 and r = 512. How much smaller is the cache? → With ordinary heads, a
  token would need H·(d + t + e) = 40,960 numbers. With c and kr it needs 576, which is 71 times less.
- Why is there a separate positional key? → Rotary embedding multiplies keys by a rotation that depends on the position.
  This rotation would be between Uk and the query, so Uk could not be absorbed. kr carries the position instead.
- Is absorbing useful in training too? → No. The dot product of a score then has r + t = 576 numbers instead of d + t =
  192, so the scores cost three times as much. Training computes k and v once for all tokens.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "In the graph, how many arrows leave each of x, c and kr? What is the gradient of a node with several consumers?",
    (
        "Per head, take attention's backward with the scale 1/√(d + t). dkr and dc are sums over the heads, and dc has "
        "a term from the keys and a term from the values."
    ),
    (
        "`c @ Uk` broadcasts over the heads, and `.mT` transposes each head. With dk and dv per head, "
        "dc = (dk @ ... + dv @ ...).sum(axis=0)."
    ),
)
SHAPES = "x[m,D] qn[H,n,d] qr[H,n,t] Wd[D,r] Wr[D,t] Uk[H,r,d] Uv[H,r,e]"
# Scores near 1: scores of tens would leave only the rounding error of dp - δ in some elements.
SMALL = {name: normal(0.5) for name in ("qn", "qr", "Wd", "Wr", "Uk")}
WRT = ("x", "Wd", "Wr", "Uk", "Uv")
CASES = [
    given(SHAPES.replace("H", "3"), **SMALL, note="three heads"),
    given(SHAPES.replace("H", "1"), **SMALL, large=False, note="one head"),
    given(SHAPES.replace("H", "2").replace("m", "1"), **SMALL, large=False, note="a single key"),
    given(SHAPES.replace("H", "2"), **SMALL | {"qr": 0.0}, large=False, note="queries without position"),
    given(
        "x[3,1] qn[2,1,1] qr[2,1,1] Wd[1,1] Wr[1,1] Uk[2,1,1] Uv[2,1,1]",
        x=[[1.0], [-2.0], [3.0]],
        qn=[[[300.0]], [[-40.0]]],
        qr=[[[200.0]], [[500.0]]],
        Wd=[[2.0]],
        Wr=[[1.0]],
        Uk=[[[1.0]], [[-3.0]]],
        smooth=False,
        note="scores above 1000",
    ),
]
MISTAKES = [
    edit(
        "values-forgotten",
        "the latent c makes only the keys",
        "How many matrices multiply c in a head?",
        "(dk @ Uk.mT + dv @ Uv.mT) -> (dk @ Uk.mT)",
    ),
    edit(
        "keys-forgotten",
        "the latent c makes only the values",
        "How many matrices multiply c in a head?",
        "(dk @ Uk.mT + dv @ Uv.mT) -> (dv @ Uv.mT)",
    ),
    edit(
        "positional-key-of-one-head",
        "only one head uses kr",
        "How many heads use kr in their scores? How many terms does your dkr have?",
        "(ds.mT @ qr).sum(axis=0) -> (ds.mT @ qr)[0]",
    ),
    edit(
        "latent-of-one-head",
        "only one head uses c",
        "How many heads make their keys from c? How many terms does your dc have?",
        "dv @ Uv.mT).sum(axis=0) -> dv @ Uv.mT)[0]",
    ),
    edit(
        "heads-averaged",
        "the gradients of shared vectors are averaged over the heads",
        "Move kr a little. Each head changes the loss. Do these changes add up, or is their mean taken?",
        "(ds.mT @ qr).sum(axis=0) -> (ds.mT @ qr).mean(axis=0)",
        "dv @ Uv.mT).sum(axis=0) -> dv @ Uv.mT).mean(axis=0)",
    ),
    edit(
        "positional-key-averaged",
        "the gradient of the shared key kr is a mean over the heads",
        "Move kr a little. Each of the H heads changes the loss. Is the whole change the sum or the mean of these?",
        "(ds.mT @ qr).sum(axis=0) -> (ds.mT @ qr).mean(axis=0)",
    ),
    edit(
        "x-through-latent-only",
        "x is read only by Wd",
        "Which two matrices multiply x in the forward?",
        "dx = dc @ Wd.T + dkr @ Wr.T -> dx = dc @ Wd.T",
    ),
    edit(
        "scale-of-one-part",
        "the scale is 1/√d",
        "How long are the two vectors whose dot product is the score?",
        "(qn.shape[-1] + qr.shape[-1]) ** -0.5 -> qn.shape[-1] ** -0.5",
    ),
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "By how much does a score move when q·k moves by 1?",
        "keepdims=True)) * scale -> keepdims=True))",
    ),
    edit(
        "position-forgotten",
        "the scores contain only the products qn kᵀ",
        "A score is a sum of two dot products. Which one is missing when you compute p again?",
        "(qn @ k.mT + qr @ kr.T) -> (qn @ k.mT)",
    ),
    edit(
        "no-row-sum",
        "the slope of softmax is p",
        "Add a constant to a row of scores: p stays the same. Do the rows of your ds sum to 0?",
        "(dp - (dp * p).sum(axis=-1, keepdims=True)) -> dp",
    ),
    edit(
        "not-shifted",
        "the exponential of a score is finite",
        "What is exp(1000) in floating point? Which number may be subtracted from a row without changing its softmax?",
        "s - s.max(axis=-1, keepdims=True) -> s",
    ),
    edit(
        "positional-key-assigned",
        "the dkr of the last head is complete",
        "How many heads use kr in their scores? In a loop over heads, does your dkr add the part of each head?",
        "(ds.mT @ qr).sum(axis=0) -> (ds.mT @ qr)[-1]",
    ),
    edit(
        "latent-assigned",
        "the dc of the last head is complete",
        "How many heads make their keys from c? In a loop over heads, does your dc add the part of each head?",
        "dv @ Uv.mT).sum(axis=0) -> dv @ Uv.mT)[-1]",
    ),
    edit(
        "column-sum",
        "softmax normalised over the queries",
        "Which numbers sum to 1: a row of p or a column of p? Over which axis must ds sum to 0?",
        "(dp * p).sum(axis=-1 -> (dp * p).sum(axis=-2",
    ),
]


def forward(x, qn, qr, Wd, Wr, Uk, Uv):
    c, kr = x @ Wd, x @ Wr
    scale = (qn.shape[-1] + qr.shape[-1]) ** -0.5
    s = qn @ (c @ Uk).mT + qr @ kr.mT
    return engine.softmax(s * scale) @ (c @ Uv)


def mla_backward(g, x, qn, qr, Wd, Wr, Uk, Uv):
    c, kr = x @ Wd, x @ Wr
    k, v = c @ Uk, c @ Uv
    scale = (qn.shape[-1] + qr.shape[-1]) ** -0.5
    s = (qn @ k.mT + qr @ kr.T) * scale
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * scale
    dk, dv = ds.mT @ qn, p.mT @ g
    dkr = (ds.mT @ qr).sum(axis=0)
    dc = (dk @ Uk.mT + dv @ Uv.mT).sum(axis=0)
    dx = dc @ Wd.T + dkr @ Wr.T
    return dx, x.T @ dc, x.T @ dkr, c.T @ dk, c.T @ dv
