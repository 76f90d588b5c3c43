"""The sink is one more column of scores, and its value vector is 0. So the backward is the backward of attention with
one more key.

Let p_s be the weight of the sink. The row (p, p_s) is a softmax and sums to 1. The cotangent of p_ij is dp_ij = g_i ·
v_j. The cotangent of p_s is 0, because the sink's value is 0. The backward of softmax subtracts the average of the
cotangents, weighted by the whole row. The sink adds 0 to this average:

    D_i = Σ_j p_ij dp_ij + p_s · 0 = g_i · out_i

A score of a key receives p_ij (dp_ij - D_i), as in attention. The score of the sink receives p_s (0 - D_i). One number
served as the sink's score in n rows, so dsink sums over the rows:

    dsink = -Σ_i p_s,i D_i

The other gradients are the same as in attention: dv = pᵀ g, dq = ds k/√d and dk = dsᵀ q/√d.

Three checks follow. Adding a constant to all scores of a row and to the sink does not move `out`. The gradients of
these scores therefore sum to 0. The sink's part is -p_s D, so row i of ds, before the scale, sums to p_s D. With sink =
-1000 the sink has no weight, and this is plain attention. With sink = 1000 and scores near 0, all weights of the keys
are 0, so all gradients are 0.

The shift before the exponentials must be the largest of the scores *and* the sink. Otherwise exp(sink) can overflow.

Cost: one more exponential per row than attention without a sink. A kernel that saved lse, the log-sum-exp of the scores
and the sink, recovers p_s as exp(sink - lse). The kernel computes D anyway.

PyTorch: `scaled_dot_product_attention` has no argument for a sink. The gpt-oss code of Hugging Face appends the sinks
to the scores as a column, takes the softmax, and drops the column. Autograd then computes the formulas above.
`flex_attention` can return the log-sum-exp of the keys and differentiates it. Multiplying the output of
`flex_attention` by σ(lse - sink) adds the sink.

Asked next:

- You have the output of plain attention and its log-sum-exp lse. How do you add the sink afterwards? → Multiply `out`
  by σ(lse - sink). This factor is the keys' share of the denominator that includes the sink. lse is then a second path
  to q and k, so the cotangent of lse matters.
- A test with sink = 0 passes although the kernel ignores the sink. How can that be? → The scores of the test are large.
  With an lse of 20, the sink has the weight e⁻²⁰ = 2e-9, but just below 1, bfloat16 numbers are 4e-3 apart. Test with a
  sink that is larger than the scores.
- When does gradient descent raise the sink? → Gradient descent raises the sink if dsink is negative. Then Σ_i p_s,i
  (g_i · out_i) is positive, so a smaller output lowers the loss, and a larger sink shrinks the output.
- What is softmax with a sink of 0? → The denominator is 1 + Σ exp(s). This form is known as softmax1 or quiet
  attention. A head can then return almost 0 without a learned sink.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "Think of the sink as one more key. What is its value, and what is the cotangent of its probability?",
    (
        "The probability p_s of the sink has the cotangent 0, so the sink's score receives -p_s D, with D = g · out "
        "in each row. A key's score receives p (dp - D). All rows of a head share one sink."
    ),
    "Shift by the maximum of the scores and the sink. Then `dsink = -(... * D).sum(axis=(1, 2))`.",
)
CASES = [
    given("q[H,n,d] k[H,m,d] v[H,m,e] sink[H]", large={"H": 2, "n": 1, "m": 20_000, "d": 2, "e": 3}),
    given("q[H,n,d] k[H,m,d] v[H,m,e] sink[H]", sink=normal(1, 3), large=False, note="sinks above the scores"),
    given("q[H,n,d] k[H,1,d] v[H,1,e] sink[H]", large=False, note="a single key"),
    given("q[2,2,3] k[2,3,3] v[2,3,2] sink[2]", sink=[1000.0, -1000.0], large=False, note="sinks of ±1000"),
    given(
        "q[2,3,2] k[2,3,2] v[2,3,2] sink[2]",
        q=[[[42.0, 0.0], [-41.0, 1.0], [0.0, -990.0]]] * 2,
        k=[[[33.0, 1.0], [32.98, 1.0], [-33.0, 1.0]]] * 2,
        v=[[[1.0, 2.0], [3.0, -1.0], [0.5, 1.5]], [[2.0, 1.0], [0.5, 1.0], [1.0, -1.0]]],
        sink=[979.5, -1000.0],
        note="scores of ±1000",
    ),
]


def forward(q, k, v, sink):
    s = q @ k.mT / q.shape[-1] ** 0.5
    column = engine.broadcast_to(sink[:, None, None], (*s.shape[:2], 1))
    p = engine.softmax(engine.concatenate([s, column], axis=-1))
    return p[..., :-1] @ v


def attention_sink_backward(g, q, k, v, sink):
    scale = q.shape[-1] ** -0.5
    s = q @ k.mT * scale
    sink = sink[:, None, None]
    top = np.maximum(s.max(axis=-1, keepdims=True), sink)
    e, e_sink = np.exp(s - top), np.exp(sink - top)
    total = e.sum(axis=-1, keepdims=True) + e_sink
    p, p_sink = e / total, e_sink / total
    dp = g @ v.mT
    row_dot = (p * dp).sum(axis=-1, keepdims=True)
    ds = p * (dp - row_dot) * scale
    dsink = -(p_sink * row_dot).sum(axis=(1, 2))
    return ds @ k, ds.mT @ q, p.mT @ g, dsink


MISTAKES = [
    edit(
        "renormalised",
        "the weights of the keys sum to 1",
        "How much of its weight does a row give to the sink?",
        "p, p_sink = ... -> p, p_sink = e / e.sum(axis=-1, keepdims=True), e_sink / total",
    ),
    edit(
        "sink-sign",
        "a larger sink makes the output larger",
        "Raise the sink. Do the weights of the keys grow or shrink?",
        "dsink = - -> dsink =",
    ),
    edit(
        "sink-no-gradient",
        "a score without a value vector has no gradient",
        "Raise the sink by 1. Does the output stay the same?",
        "dsink = ... -> dsink = 0 * sink[:, 0, 0]",
    ),
    edit(
        "sink-not-summed",
        "each row has its own sink",
        "The sink of a head was used in n rows. How do the contributions of the rows combine?",
        "dsink = ... -> dsink = -(p_sink * row_dot)[..., 0]",
    ),
    edit(
        "no-row-dot",
        "with a sink, the backward of softmax needs no row sum",
        "Raise one score. Do the weights of the other keys still fall?",
        "ds = p * (dp - row_dot) -> ds = p * dp",
    ),
    edit(
        "sink-mean",
        "the gradient of a shared number is the mean over the rows",
        "Repeat every query. Does the loss move twice as far when the sink moves?",
        ".sum(axis=(1, 2)) -> .mean(axis=(1, 2))",
    ),
    edit(
        "sink-scaled",
        "the sink is divided by √d like the scores",
        "Which of these does the task divide by √d: q·k or the sink?",
        "dsink = ... -> dsink = -(p_sink * row_dot).sum(axis=(1, 2)) * scale",
    ),
    edit(
        "all-heads",
        "all heads share one sink",
        "Change the sink of head 0. Does the output of head 1 move?",
        "dsink = ... -> dsink = np.full_like(sink[:, 0, 0], -(p_sink * row_dot).sum())",
    ),
    edit(
        "shift-ignores-sink",
        "the largest score is at least as large as the sink",
        "Scores are near 0, and the sink is 1000. What is exp(sink - largest score)?",
        "top = ... -> top = s.max(axis=-1, keepdims=True)",
    ),
    edit(
        "no-shift",
        "exp of every score is finite",
        "What is exp(1000) in floating point? What may be subtracted from all scores and the sink?",
        "top = ... -> top = 0",
    ),
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "By how much does a score move when q·k moves by 1?",
        "(dp - row_dot) * scale -> (dp - row_dot)",
    ),
    edit(
        "sum-over-keys-weight",
        "the weights of the keys must be rescaled to sum to 1 before the row sum is taken",
        "The sink has a weight too. If you raise all scores of a row by 1, does the output of the row stay the same?",
        "ds = ... -> ds = p * (dp - row_dot / np.maximum(1 - p_sink, 1e-30)) * scale",
    ),
    edit(
        "sink-left-out",
        "the sum in the denominator runs over the keys only",
        "Which terms does the denominator of p_ij have in the task?",
        "total = e.sum(axis=-1, keepdims=True) + e_sink -> total = e.sum(axis=-1, keepdims=True)",
    ),
    edit(
        "sink-not-shifted",
        "only the scores are shifted by the maximum",
        "You divide all exponentials of the keys by exp(top). By what must exp(sink) be divided?",
        "np.exp(sink - top) -> np.exp(sink)",
    ),
    edit(
        "sink-scaled-in-forward",
        "the forward divides the sink by √d, like the scores",
        "Which of these does the task divide by √d: q·k or the sink?",
        "sink = sink[:, None, None] -> sink = sink[:, None, None] * scale",
        "dsink = ... -> dsink = -(p_sink * row_dot).sum(axis=(1, 2)) * scale",
    ),
    edit(
        "unweighted-row-sum",
        "the sink's gradient needs the plain sum of dp",
        "Raise the sink a little. By which fraction of itself does each weight p_ij fall?",
        "dsink = ... -> dsink = -(p_sink * dp.sum(axis=-1, keepdims=True)).sum(axis=(1, 2))",
    ),
    edit(
        "sink-like-sigmoid",
        "the weight of the sink has the slope p_s (1 - p_s)",
        "The sink's own weight has no value vector. What is the slope of p_ij with respect to the sink?",
        "-(p_sink * row_dot) -> -(p_sink * (1 - p_sink) * row_dot)",
    ),
    edit(
        "complement-of-sink",
        "the smaller the sink's weight is, the more the other weights fall when the sink rises",
        "Let the weight of the sink be almost 0. How much do the other weights fall when the sink rises a little?",
        "-(p_sink * row_dot) -> -((1 - p_sink) * row_dot)",
    ),
    edit(
        "column-sum",
        "softmax normalised over the queries",
        "What sums to 1 together with the sink's weight: a row of p or a column of p?",
        "(p * dp).sum(axis=-1 -> (p * dp).sum(axis=-2",
    ),
    edit(
        "sigmoid-like-softmax",
        "each weight depends only on its own score",
        "Raise one score of a row. What happens to the other weights of the row?",
        "(dp - row_dot) -> dp * (1 - p)",
    ),
    edit(
        "scale-d", "the scores were divided by d", "Does the task divide q·k by d or by its root?", "** -0.5 -> ** -1.0"
    ),
    edit(
        "width-of-v",
        "the scores were divided by the root of v's width",
        "q has shape (H, n, d), and v has shape (H, m, e). Which of these sizes is under the root in the task?",
        "q.shape[-1] -> v.shape[-1]",
    ),
    edit(
        "through-exp",
        "the sink enters as exp(sink), so its gradient has one more factor of exp(sink)",
        "The slope of exp(sink) is exp(sink), and p_s contains it. Does your code contain exp(sink) once or twice?",
        "-(p_sink * row_dot).sum(axis=(1, 2)) -> -(p_sink * row_dot * np.exp(np.minimum(sink, 30))).sum(axis=(1, 2))",
    ),
    edit(
        "row-dot-without-sink",
        "the row sum averages dp over the keys alone, whose weights sum to 1",
        "The sink has a weight too, and its dp is 0. To what do the weights of the keys sum?",
        "row_dot = ... -> keys = np.exp(s - s.max(axis=-1, keepdims=True)); "
        "row_dot = (keys * dp).sum(axis=-1, keepdims=True) / keys.sum(axis=-1, keepdims=True)",
    ),
]
