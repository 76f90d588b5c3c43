"""The SigLIP loss (Zhai et al., 2023) is a logistic regression on n² pairs. The slope of -log σ(u) is -σ(-u), so

    dz_ij = -g/n · l_ij · σ(-l_ij · z_ij)

With the identity matrix I, dz is g/n · (σ(z) - I), because a pair with l = -1 has the slope σ(z), and a pair with l = 1
has the slope σ(z) - 1. So dz is the prediction minus the target. The divisor is n, although there are n² terms.

z is a product with the factor exp(t), plus beta. Therefore

    da    = exp(t) · dz @ b
    db    = exp(t) · dzᵀ @ a
    dt    = exp(t) · Σ dz · (a @ bᵀ)
    dbeta = Σ dz

The derivative of exp(t) is exp(t) itself, so dt contains this factor too. dt does not contain beta, because beta is
added after the product.

InfoNCE compares the entries of a row by a softmax. Here no pair's term contains another pair's z.

Let u = -l · z. Then σ(u) measures how wrongly the pair is classified. `np.logaddexp(0, -u)` is -log σ(u) without
overflow.

Cost: three products of n²·d multiplications each if a @ bᵀ is computed again, compared with one in the forward. z and
dz take n² numbers each. Both can be computed in blocks, because no sum over a row is needed before dz.

PyTorch: `-F.logsigmoid(labels * logits).sum() / n` has this gradient, and open_clip computes exactly this.
`LogSigmoidBackward0` saves its n x n input and, on the CPU, a buffer of the same shape. open_clip keeps t as the
parameter `logit_scale`, and its model passes exp(t) to the loss.

Asked next:

- Why does this loss split over ranks more easily than InfoNCE? → A sum over pairs splits into blocks. Each rank keeps
  its images, receives the texts of one other rank at a time, and adds up its gradients. No rank needs a sum over a
  whole row, and no rank needs all texts at once.
- Why does training start with beta = -10 and t = log 10? → n² - n of the n² pairs are negatives. With nearly orthogonal
  unit vectors and beta = 0, σ(z) is near 1/2, so the negatives of a row push with a total weight of (n - 1)/2. With
  beta = -10 and n = 4096 this total is 0.2, and each positive pulls with a weight near 1.
- The embeddings are normalised. Can the loss go to 0 if t is fixed? → For n > 1 it cannot. For unit vectors, a_i · b_j
  is between -1 and 1, so the z of a match is at most 2 exp(t) above the z of another pair. The scale exp(t) must grow
  to separate the pairs clearly.
- Which PyTorch loss of z has the same gradient and does not need the labels l? → The binary cross-entropy with the
  logits z and the identity matrix as targets, summed over the pairs and divided by n. Its gradient is also g/n ·
  (σ(z) - I).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "Each pair is a logistic regression with the label l. What is the slope of -log σ(l · z) with respect to z?",
    (
        "The slope is -l · σ(-l · z), divided by n. Then use the rules of a matrix product with the factor exp(t). For "
        "dt, remember the derivative of exp(t)."
    ),
    (
        "Let dz be the gradient of z, and let scale be exp(t). dt is the sum of `dz * scale * ...`, and dbeta is the "
        "sum of dz. da is `scale * dz @ b`. For db, ask which axis of z belongs to the texts."
    ),
)
ARRAYS = "a[n,d] b[n,d] t[] beta[]"
CASES = [
    given(ARRAYS, t=0.5, beta=-1.0),
    given(ARRAYS, large=False, note="random t and beta"),
    given("a[1,d] b[1,d] t[] beta[]", t=0.3, beta=0.5, note="one pair"),
    given("a[3,3] b[3,3] t[] beta[]", t=-0.5, beta=1.0, note="square"),
    given(
        "a[3,2] b[3,2] t[] beta[]",
        a=[[0.6, 0.8], [1.0, 0.0], [0.0, -1.0]],
        b=[[0.8, 0.6], [-1.0, 0.0], [0.6, -0.8]],
        t=2.302585,
        beta=-10.0,
        note="unit vectors, t = log 10 and beta = -10",
    ),
    given(
        "a[3,2] b[3,2] t[] beta[]",
        a=[[50.0, 0.0], [0.0, 40.0], [-20.0, 0.0]],
        b=[[-20.0, 0.0], [25.0, 0.0], [0.0, 30.0]],
        t=0.0,
        beta=0.0,
        smooth=False,
        note="logits of ±1000",
    ),
    given(
        "a[4,2] b[4,2] t[] beta[]",
        a=[[1.0, 2.0], [1.0, 2.0], [0.0, -1.0], [0.5, 0.0]],
        b=[[0.5, 1.0], [2.0, 0.0], [-1.0, 1.0], [-1.0, 1.0]],
        t=0.5,
        beta=-1.0,
        note="equal rows",
    ),
]
MISTAKES = [
    edit(
        "negatives-ignored",
        "only matching pairs enter the loss",
        "What is l for a pair that does not match, and does the sum contain this pair?",
        "np.where(match, -wrong, wrong) -> np.where(match, -wrong, 0)",
    ),
    edit(
        "all-positive",
        "l is 1 for every pair",
        "Must z_ij rise or fall if image i and text j do not match?",
        "np.eye(n, dtype=bool) -> np.ones((n, n), bool)",
    ),
    edit(
        "softmax",
        "a contrastive loss has a softmax along each row",
        "Does the term of one pair contain the z of another pair?",
        "dz = ... -> e = np.exp(z - z.max(axis=1, keepdims=True)); p = e / e.sum(axis=1, keepdims=True); "
        "dz = g / n * (p - match.astype(p.dtype))",
    ),
    edit(
        "sigmoid-z",
        "a pair that is classified better has a larger gradient",
        "Take a matching pair with z = 20. Should its gradient be large or near 0?",
        "np.logaddexp(0, -u) -> np.logaddexp(0, u)",
    ),
    edit(
        "mean-over-pairs",
        "the loss is a mean over all n² pairs",
        "Which factor does the task's formula for L have before the sums?",
        "g / n -> g / n**2",
    ),
    edit(
        "no-mean",
        "the loss is a sum over pairs",
        "Which factor does the task's formula for L have before the sums?",
        "g / n -> g",
    ),
    edit(
        "sign",
        "dz is the target minus the prediction",
        "A descent step must raise z for a matching pair. Does a step with your gradient raise it?",
        "g / n -> -g / n",
    ),
    edit(
        "temperature-not-exp",
        "the slope of z with respect to t is a @ bᵀ",
        "What is the derivative of exp(t) · x with respect to t?",
        "dt = scale * -> dt =",
    ),
    edit(
        "dt-with-beta",
        "the slope of z with respect to t is z itself",
        "Does beta change if t changes?",
        "dt = ... -> dt = (dz * z).sum()",
    ),
    edit(
        "t-is-the-scale",
        "t itself multiplies a @ bᵀ",
        "By which number does the task multiply a @ bᵀ?",
        "np.exp(t) -> t",
    ),
    edit(
        "no-scale",
        "the scale does not matter for da and db",
        "By how much does z move if a @ bᵀ moves by 1?",
        "scale * dz @ b -> dz @ b",
        "scale * dz.T @ a -> dz.T @ a",
    ),
    edit(
        "db-not-transposed",
        "db is dz @ a",
        "In which row or column of z does the text b_j occur?",
        "dz.T @ a -> dz @ a",
    ),
    edit(
        "beta-averaged",
        "dbeta is the mean of dz",
        "In how many entries of z does beta occur, and with which slope?",
        "dz.sum() -> dz.mean()",
    ),
    edit(
        "sigmoid-overflows",
        "e^u / (1 + e^u) is safe to compute",
        "At u = 1000, what are the numerator and the denominator?",
        "np.exp(-np.logaddexp(0, -u)) -> np.exp(u) / (1 + np.exp(u))",
    ),
    edit(
        "labels-negated",
        "l is -1 for the pairs that belong together",
        "Which value does l have on the diagonal?",
        "np.eye(n, dtype=bool) -> ~np.eye(n, dtype=bool)",
    ),
    edit(
        "label-in-sigmoid-only",
        "l enters only the argument of the sigmoid",
        "u = l z is differentiated with respect to z. Which factor does the chain rule give?",
        "np.where(match, -wrong, wrong) -> -wrong",
    ),
    edit(
        "dt-without-products",
        "dt is exp(t) times the sum of dz",
        "z contains exp(t) · (a @ bᵀ). What is its derivative with respect to t?",
        "(dz * similar).sum() -> dz.sum()",
    ),
    edit(
        "scale-twice-in-dt",
        "dt contains the scale twice",
        "What is the derivative of exp(t) with respect to t? How many times does your dt contain exp(t)?",
        "dt = scale * -> dt = scale * scale *",
    ),
    edit(
        "two-means",
        "the matching pairs have a mean of their own, and so do the other pairs",
        "By which number does the task divide the terms of the pairs that do not match?",
        "dz = ... -> dz = g * np.where(match, -wrong / n, wrong / max(n * (n - 1), 1))",
    ),
    edit(
        "sigmoid-slope",
        "the slope of log σ is the slope of σ",
        "log σ(u) has the slope σ'(u) / σ(u). Which factor of σ' remains?",
        "dz = ... -> wrong = wrong * (1 - wrong); dz = g / n * np.where(match, -wrong, wrong)",
    ),
    edit(
        "scale-inverted",
        "the products are divided by exp(t)",
        "In the task, does a larger t make |z| larger or smaller?",
        "np.exp(t) -> np.exp(-t)",
    ),
    edit(
        "beta-forgotten",
        "z does not contain beta",
        "Which terms does z have in the task?",
        "scale * similar + beta -> scale * similar",
    ),
    edit(
        "transposes-exchanged",
        "da needs the transpose of dz, and db does not",
        "In which row or column of z does the image a_i occur?",
        "scale * dz @ b, scale * dz.T @ a -> scale * dz.T @ b, scale * dz @ a",
    ),
    edit(
        "operands-exchanged",
        "da is computed from a, and db is computed from b",
        "By which matrix is a multiplied in the forward?",
        "scale * dz @ b, scale * dz.T @ a -> scale * dz @ a, scale * dz.T @ b",
    ),
    edit(
        "dt-averaged",
        "dt is a mean over the pairs",
        "t is in every entry of z. Do the contributions to dt add up, or are they averaged?",
        "(dz * similar).sum() -> (dz * similar).mean()",
    ),
    edit(
        "logit-without-scale",
        "z is a @ bᵀ + beta",
        "Which factor does the task put before a @ bᵀ?",
        "z = scale * similar + beta -> z = similar + beta",
    ),
    edit(
        "equal-texts-match",
        "an image matches every text that is equal to its own",
        "Texts 3 and 4 are equal. Which l does the task give to image 3 and text 4?",
        "np.eye(n, dtype=bool) -> (b[:, None] == b).all(axis=2)",
    ),
    edit(
        "equal-images-match",
        "a text matches every image that is equal to its own",
        "Images 1 and 2 are equal. Which l does the task give to image 1 and text 2?",
        "np.eye(n, dtype=bool) -> (a[:, None] == a).all(axis=2)",
    ),
]


def forward(a, b, t, beta):
    n = a.shape[0]
    z = engine.exp(t) * (a @ b.T) + beta
    return -engine.logsigmoid((2 * np.eye(n) - 1) * z).sum() / n


def siglip_loss_backward(g, a, b, t, beta):
    n = len(a)
    scale = np.exp(t)
    similar = a @ b.T
    z = scale * similar + beta
    match = np.eye(n, dtype=bool)
    u = np.where(match, -z, z)
    wrong = np.exp(-np.logaddexp(0, -u))
    dz = g / n * np.where(match, -wrong, wrong)
    dt = scale * (dz * similar).sum()
    return scale * dz @ b, scale * dz.T @ a, dt, dz.sum()
