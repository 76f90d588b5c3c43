"""The forward has five steps: scale, cap, mask, softmax and the product with v. Backward takes them in reverse order.

The product and the softmax are as in attention. With dp = g vᵀ and δ = Σ_j dp_j p_j, the capped scores receive dt = p ∘
(dp - δ), and dv = pᵀ g.

The mask needs no step of its own. At a masked key, p is 0, so dt is 0.

The cap has the slope 1 - tanh²(s/cap): the factor cap cancels the inner 1/cap. In terms of the output, the slope is 1 -
(t/cap)². So

    ds = dt ∘ (1 - (t/cap)²)        dq = ds k/√d        dk = dsᵀ q/√d

The t in this slope is the value *before* masking. If the mask has overwritten t with -∞, the slope is 1 - ∞ = -∞, and 0
· ∞ is NaN.

A score far above the cap has the slope 0, so it sends no gradient to q and k. With window = 1, each query sees only
itself. Then p is 1, and dq and dk are 0.

The shift by the row's maximum is still in the code, because exp(cap) may overflow. With cap = 50, as in Gemma 2, the
shift could be left out, because exp(50) is 5e21.

Cost: as for causal attention, plus one tanh and a few products per score. As written, the time and memory grow with n².
The time of a kernel that visits only the tiles within the window grows with n · window. Backward computes the scores
and the tanh again, because the slope of the cap needs t.

PyTorch: `scaled_dot_product_attention` has no argument for a cap, and it takes a window only as an `attn_mask` of n x n
entries. `flex_attention` takes both. It differentiates a `score_mod` such as `cap * tanh(score / cap)`, and a
`mask_mod` describes the window. The kernel skips blocks that the mask hides entirely. In code with plain operations,
`TanhBackward0` saves its result before the mask is applied, so the slope is finite.

Asked next:

- With tiles of 64 x 64 and a window of 128, which tiles does block i of the queries touch? → The tiles i - 2, i - 1 and
  i. The first query of block i looks back 127 keys, into tile i - 2. Tiles i - 2 and i need a mask. Tile i - 1 is
  visible as a whole.
- Does it matter whether the cap comes before or after the scale 1/√d? → Yes. The other order, cap · tanh(q·k/cap)/√d,
  bounds the scores by cap/√d instead of cap. A kernel must use the same order as in training.
- ALiBi replaces the cap: t = s - slope · (i - j). What is the gradient of slope? → The gradient is -Σ dt_ij (i - j)
  over all visible pairs. Rows of dt sum to 0, so replacing i - j by -j gives the same number.
- How many such layers does it take for a token to affect the output 1000 positions later? → One layer passes
  information on by at most window - 1 positions. With window = 128 it takes at least 8 layers. Models therefore
  alternate windowed and full layers.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "List the steps of the forward in order. Which step is new compared with causal attention, and what is its slope?",
    (
        "Compute dt as in attention. Multiply dt by the slope of the cap, 1 - (t/cap)². This t is the value before "
        "the mask. Then apply the scale once."
    ),
    "Keep `t` as it is, and mask a copy. With dp = g vᵀ, `ds = p * (dp - ...) * (1 - (...) ** 2) / d**0.5`.",
)
CASES = [
    given("q[4,d] k[4,d] v[4,e]", cap=1.5, window=2, note="window=2"),
    given("q[n,d] k[n,d] v[n,e]", cap=0.5, window=9, note="a wide window", large={"n": 30, "d": 700, "e": 600}),
    given("q[3,d] k[3,d] v[3,e]", cap=2.0, window=1, large=False, note="window=1"),
    given("q[6,d] k[6,d] v[6,e]", cap=30.0, window=3, q=normal(5), large=False, note="cap=30"),
    given(
        "q[4,1] k[4,1] v[4,2]",
        q=[[30.0], [-30.0], [28.0], [-31.0]],
        k=[[0.03], [33.0], [-0.02], [-32.0]],
        v=[[1.0, 2.0], [3.0, -1.0], [0.5, 1.5], [2.0, 1.0]],
        cap=2.0,
        window=3,
        note="scores far above the cap",
    ),
    # The largest t seen in a row is about -750, 750, 100 or -100, and a hidden key may have a larger one.
    given(
        "q[6,1] k[6,1] v[6,2]",
        q=[[30.0], [29.5], [-30.0], [31.0], [3.3], [-3.3]],
        k=[[-33.0], [33.0], [-32.0], [-33.0], [-30.0], [-30.0]],
        v=[[1.0, 2.0], [3.0, -1.0], [0.5, 1.5], [2.0, 1.0], [-1.0, 0.5], [1.5, -2.0]],
        cap=1000.0,
        window=2,
        note="scores of ±1000",
    ),
]


def forward(q, k, v, cap, window):
    t = cap * engine.tanh(q @ k.mT / q.shape[-1] ** 0.5 / cap)
    back = np.arange(len(q))[:, None] - np.arange(len(q))
    return engine.softmax(engine.where((back >= 0) & (back < window), t, -np.inf)) @ v


def softcap_window_attention_backward(g, q, k, v, cap, window):
    n, d = q.shape
    t = cap * np.tanh(q @ k.T / d**0.5 / cap)
    back = np.arange(n)[:, None] - np.arange(n)
    seen = np.where((back >= 0) & (back < window), t, -np.inf)
    p = np.exp(seen - seen.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    dp = g @ v.T
    dt = p * (dp - (dp * p).sum(axis=1, keepdims=True))
    ds = dt * (1 - (t / cap) ** 2) / d**0.5
    return ds @ k, ds.T @ q, p.T @ g


MISTAKES = [
    edit(
        "cap-slope-dropped",
        "the cap only limits the forward",
        "Suppose t is nearly cap. How far does t move if s moves by 1?",
        "dt * (1 - (t / cap) ** 2) -> dt",
    ),
    edit(
        "slope-of-masked",
        "the slope of the cap may be taken after the mask",
        "What is (-inf / cap)²? What is the slope then, and what is 0 times this slope?",
        "(t / cap) ** 2 -> (seen / cap) ** 2",
    ),
    edit(
        "slope-at-raw-score",
        "the cap computes tanh(s)",
        "The forward takes tanh of a quotient. Which quotient is this?",
        "(t / cap) ** 2 -> np.tanh(q @ k.T / d**0.5) ** 2",
    ),
    edit(
        "cap-forgotten-in-slope",
        "the slope of cap · tanh(s/cap) is 1 - t²",
        "With cap = 30, t may be 20. What is your slope there?",
        "(t / cap) ** 2 -> t**2",
    ),
    edit(
        "one-over-cap",
        "the inner 1/cap stays in the slope",
        "The chain rule brings a factor 1/cap. What happens when the outer factor cap multiplies it?",
        "dt * (1 - -> dt / cap * (1 -",
    ),
    edit(
        "hard-clip",
        "a soft cap clips the scores",
        "At s = cap, is the slope of cap · tanh(s/cap) 1, 0 or something in between?",
        "dt * (1 - (t / cap) ** 2) -> dt * (np.abs(q @ k.T / d**0.5) < cap)",
    ),
    edit(
        "window-off-by-one",
        "a window of w looks back over w earlier keys",
        "With window = 1, which keys does query 5 see?",
        "back < window -> back <= window",
    ),
    edit(
        "not-causal",
        "the window extends to both sides",
        "Does query 0 see key 1?",
        "(back >= 0) & (back < window) -> np.abs(back) < window",
    ),
    edit(
        "no-window",
        "a query sees all earlier keys",
        "Which argument does your code never use?",
        "(back >= 0) & (back < window) -> back >= 0",
    ),
    edit(
        "mask-before-cap",
        "the mask may come before the cap",
        "What is cap · tanh(-inf / cap)? Which weight does the softmax then give to a hidden key?",
        "seen = -> seen = t =",
        "t, -np.inf) -> t, -cap)",
    ),
    edit(
        "no-scale",
        "the cap absorbs the factor 1/√d",
        "By how much does s move when q·k moves by 1?",
        "** 2) / d**0.5 -> ** 2)",
    ),
    edit(
        "cap-before-scale",
        "the cap acts on q·k, and the scale follows",
        "In which order does the forward scale and cap?",
        "t = cap * np.tanh(q @ k.T / d**0.5 / cap) -> t = cap * np.tanh(q @ k.T / cap)",
        "np.where((back >= 0) & (back < window), t, -np.inf) -> "
        "np.where((back >= 0) & (back < window), t / d**0.5, -np.inf)",
    ),
    edit(
        "no-row-sum",
        "the slope of softmax is p",
        "The rows of dt must sum to 0. Do the rows of your dt sum to 0?",
        "dt = ... -> dt = p * dp",
    ),
    edit(
        "no-max-shift",
        "the cap keeps the exponentials finite",
        "With cap = 1000, t may be 750. What is exp(750)?",
        "seen - seen.max(axis=1, keepdims=True) -> seen",
    ),
    edit(
        "shifted-by-cap",
        "the cap can replace the maximum of the row",
        (
            "With cap = 1000, all t of a row may be -750. What are the exponentials after your shift, and what "
            "is their sum?"
        ),
        "seen - seen.max(axis=1, keepdims=True) -> seen - cap",
    ),
    edit(
        "one-maximum",
        "one maximum is enough for all rows",
        (
            "One row has only t = -750 and another has 750. What is the sum of the first row's exponentials "
            "after your shift?"
        ),
        "seen.max(axis=1, keepdims=True) -> seen.max()",
    ),
    edit(
        "maximum-of-hidden",
        "the maximum of a row may include hidden keys",
        (
            "A hidden key has t = 750, and all seen keys have -750. What is the sum of the row's exponentials "
            "after your shift?"
        ),
        "seen.max(axis=1, keepdims=True) -> t.max(axis=1, keepdims=True)",
    ),
]
