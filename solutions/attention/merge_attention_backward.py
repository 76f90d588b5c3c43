"""In each row, w1 and w2 are the softmax of two logits, l1 and l2. These two probabilities weight the two parts.

out is linear in o1 with slope w1, so do1 = w1 g. In the same way do2 = w2 g.

l1 reaches the loss along two paths. The first path is the weights. w1 and w2 sum to 1, so one weight gains what the
other loses. If l1 moves by δ, then w1 grows by w1 w2 δ and w2 falls by w1 w2 δ. The output moves by w1 w2 (o1 - o2) δ,
which changes the loss by

    t = w1 w2 g · (o1 - o2)      per unit of l1

and by -t per unit of l2. The second path is lse. The derivative of lse is w1 with respect to l1, and w2 with respect to
l2. Together:

    dl1 = w1 glse + t
    dl2 = w2 glse - t

Two checks follow. Adding a constant to l1 and l2 moves lse by this constant and does not move `out`. So dl1 + dl2 is
glse. If o1 equals o2, the weights do not matter, and t is 0.

exp(l1) can overflow, but l1 - lse is at most 0. If l2 is -∞, then lse is l1, w2 is exp(-∞) = 0, and all terms with w2
vanish.

Cost: a few operations per element, as in the forward. Only the inputs are needed. Neither pass touches a score, so a
merge costs little compared with the attention of a part.

PyTorch: The context parallelism of `torch.distributed.tensor.experimental` merges parts in the class `_SDPAMerger`.
This class uses the sigmoid: out - σ(l2 - lse)·(out - o2). Here out and lse belong to the parts merged so far, and o2
and l2 belong to the next part. Autograd does not differentiate these merges. The backward of ring attention is written
by hand. It reads only the final out and lse, and no result of an earlier merge.

Asked next:

- Is the merge associative? → Yes, up to rounding. The pair (out, lse) represents a numerator, out·exp(lse), and a
  denominator, exp(lse). A merge adds the numerators and adds the denominators. So parts may be merged along a ring, in
  a tree, or in any order.
- With which part can a loop over parts start? → The loop can start with the identity of the merge, which has l = -∞ and
  any finite o, such as 0. With o = NaN the product 0 · NaN would spoil the result.
- Both parts are fully masked in a row. What does the formula give? → lse is -∞, and both weights are exp(-∞ + ∞) = NaN.
  Test for such a row, and set its out to 0 and its lse to -∞. The gradients of the row are then 0.
- Why does ring attention not differentiate its merges one by one? → With the final out and lse, each block recovers its
  final probabilities as p = exp(s - lse). The gradients of the block then follow directly. No result of an earlier
  merge must be saved.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "A row is a softmax over two logits. How far do both weights move if only l1 moves?",
    (
        "do1 is w1 g. The weights pass w1 w2 g · (o1 - o2) to l1, and the negative of this to l2. lse passes w1 glse "
        "to l1 and w2 glse to l2."
    ),
    "Compute `t`, the row sum of `g * (o1 - o2)` times both weights. Then `dl1 = ... + t` and `dl2 = ... - t`.",
)
COTANGENTS = ("g", "glse")
CASES = [
    given("o1[n,e] l1[n] o2[n,e] l2[n]", large={"n": 300, "e": 320}),
    given("o1[2,3] l1[2] o2[2,3] l2[2]", l1=[0.5, -2.0], l2=[0.5, -2.0], large=False, note="equal log-sum-exps"),
    given(
        "o1[4,2] l1[4] o2[4,2] l2[4]",
        l1=[1000.0, -1000.0, 0.0, 1000.0],
        l2=[1001.0, -1000.5, 1000.0, -1000.0],
        o1=[[1.0, 2.0], [0.5, -1.0], [2.0, 1.0], [-1.0, 3.0]],
        o2=[[0.0, 1.0], [2.0, 1.5], [1.0, -1.0], [0.5, 0.5]],
        smooth=False,
        note="log-sum-exps of ±1000",
    ),
    given(
        "o1[3,2] l1[3] o2[3,2] l2[3]",
        l1=[1.0, -np.inf, -np.inf],
        l2=[-np.inf, 2.0, -1000.0],
        o1=[[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]],
        o2=[[0.0, 0.0], [2.0, 1.5], [1.0, -1.0]],
        smooth=False,
        note="a masked part",
    ),
]
EQUIVALENT = {"swap: np.logaddexp(l1, l2) -> ...": "the logarithm of the sum is symmetric in l1 and l2"}


def forward(o1, l1, o2, l2):
    w1, w2 = engine.sigmoid(l1 - l2)[:, None], engine.sigmoid(l2 - l1)[:, None]
    return w1 * o1 + w2 * o2, engine.logaddexp(l1, l2)


def merge_attention_backward(g, glse, o1, l1, o2, l2):
    lse = np.logaddexp(l1, l2)
    w1, w2 = np.exp(l1 - lse), np.exp(l2 - lse)
    t = w1 * w2 * (g * (o1 - o2)).sum(axis=1)
    do1, do2 = w1[:, None] * g, w2[:, None] * g
    return do1, w1 * glse + t, do2, w2 * glse - t


MISTAKES = [
    edit(
        "weights-constant",
        "the weights are constants",
        "Raise l1. Do w1 and w2 stay the same?",
        "t = ... -> t = 0",
    ),
    edit(
        "not-centred",
        "w1 depends only on l1",
        "Add 1 to l1 and to l2: out stays the same. With glse = 0, what must dl1 + dl2 be?",
        "t = ... -> t = w1 * (g * o1).sum(axis=1); u = w2 * (g * o2).sum(axis=1)",
        "- t -> + u",
    ),
    edit(
        "lse-cotangent-dropped",
        "no later step reads the merged lse",
        "From which numbers does the next merge compute its weights?",
        "w1 * glse + t -> t",
        "w2 * glse - t -> -t",
    ),
    edit(
        "opposite-gradients",
        "dl2 is the negative of dl1",
        "Add 1 to l1 and to l2: lse grows by 1. If glse is 1 and g is 0, what must dl1 + dl2 be?",
        "w2 * glse - t -> -(w1 * glse + t)",
    ),
    edit(
        "lse-of-part-1",
        "lse depends only on l1",
        "l2 is 20 above l1. How far does lse move if l2 moves by 1?",
        "w2 * glse - t -> -t",
    ),
    edit(
        "exp-overflow",
        "exp(l1) is finite for every l1",
        "At l1 = 1000, what are the numerator and the denominator of your weight?",
        "w1, w2 = ... -> e1, e2 = np.exp(l1), np.exp(l2); w1, w2 = e1 / (e1 + e2), e2 / (e1 + e2)",
    ),
    edit(
        "lse-cotangent-unweighted",
        "lse moves as far as l1 does",
        "l1 is 20 below l2. How far does lse move if l1 moves by 1?",
        "w1 * glse -> glse",
        "w2 * glse -> glse",
    ),
    edit(
        "one-weight",
        "the derivative of w1 with respect to l1 is w1",
        "What is the slope of a sigmoid? If w1 is nearly 1, can w1 still grow?",
        "t = w1 * w2 * -> t = w1 *",
    ),
    edit(
        "same-sign",
        "raising l2 moves `out` in the same direction as raising l1",
        "Raise l2. Does `out` move towards o1 or towards o2?",
        "- t -> + t",
    ),
    edit(
        "weights-exchanged",
        "part 1 is weighted by the share of part 2",
        "l1 is 20 above l2. Which of o1 and o2 is almost equal to out?",
        "do1, do2 = ... -> do1, do2 = w2[:, None] * g, w1[:, None] * g",
    ),
    edit(
        "plain-mean",
        "both parts count equally",
        "Part 1 has 1000 keys and part 2 has one key. Should they have the same weight?",
        "w1, w2 = ... -> w1, w2 = np.full_like(lse, 0.5), np.full_like(lse, 0.5)",
    ),
    edit(
        "masked-is-1000",
        "-1000 can replace the -inf of a masked part",
        "l1 is -inf and l2 is -1000. Which weight does part 1 get in your code?",
        "lse = ... -> l1, l2 = (np.where(np.isneginf(l), -1000, l) for l in (l1, l2)); lse = np.logaddexp(l1, l2)",
    ),
    edit(
        "floor-at-1000",
        "no finite log-sum-exp is below -1000",
        "l1 is -1000 and l2 is -1000.5. Does your code give both parts the same weight?",
        "lse = ... -> l1, l2 = np.maximum(l1, -1000), np.maximum(l2, -1000); lse = np.logaddexp(l1, l2)",
    ),
    edit(
        "masked-row-is-zero",
        "all gradients are 0 in a row with a masked part",
        "Part 1 is masked in a row. Which weight does part 2 have there, and what is do2?",
        (
            "do1, do2 = ... -> seen = np.isfinite(l1) & np.isfinite(l2); w1, w2, t = w1 * seen, w2 * seen, t * "
            "seen; do1, do2 = w1[:, None] * g, w2[:, None] * g"
        ),
    ),
    edit(
        "masked-row-keeps-no-lse",
        "dl1 and dl2 are 0 in a row with a masked part",
        "Part 1 is masked in a row. By how much does lse move there if l2 moves by 1?",
        (
            "do1, do2 = ... -> seen = np.isfinite(l1) & np.isfinite(l2); glse = glse * seen; do1, do2 = w1[:, "
            "None] * g, w2[:, None] * g"
        ),
    ),
    edit(
        "one-maximum",
        "one maximum is enough for all rows",
        (
            "One row has l1 = l2 = -1000 and another has 1000. What are the exponentials of the first row after "
            "your shift?"
        ),
        (
            "w1, w2 = ... -> top = max(l1.max(), l2.max()); e1, e2 = np.exp(l1 - top), np.exp(l2 - top); w1, w2 "
            "= e1 / (e1 + e2), e2 / (e1 + e2)"
        ),
    ),
    edit(
        "shifted-by-l1",
        "subtracting l1 keeps both exponentials finite",
        "l1 is 0 and l2 is 1000. Which exponential does your code compute for part 2?",
        "w1, w2 = ... -> e1, e2 = np.exp(l1 - l1), np.exp(l2 - l1); w1, w2 = e1 / (e1 + e2), e2 / (e1 + e2)",
    ),
]
