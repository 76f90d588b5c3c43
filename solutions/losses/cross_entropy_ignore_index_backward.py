"""The cross-entropy of a padded batch is a mean over the rows that count. A row that counts contributes softmax minus
one-hot, as without padding. An ignored row does not enter the sum, so its gradient is 0, whatever its softmax is. If K
rows count, the divisor is K.

Dividing by N instead would make the gradient depend on the amount of padding: more padding gives a smaller gradient.
Gradient accumulation over micro-batches with different K invites the same mistake, because the mean of the
micro-batches' means is not the overall mean.

The label -100 is not a class, but NumPy accepts it as an index without complaint if there are at least 100 classes. So
select the rows that count before you index with their labels. With K = 0 the loss is 0/0, but no logit affects it. The
task asks for a gradient of 0, so use a divisor of at least 1.

Cost: as much as without padding, and one boolean per row. An ignored row needs no softmax, so selecting the rows that
count first saves the softmaxes of the ignored rows. In a language model the selection also saves the ignored rows of
the matrix product that computes the logits. The price is a gather and a scatter.

PyTorch: The call is `cross_entropy(..., ignore_index=-100)`, and -100 is the default. `NllLossBackward0` saves the
divisor K as a number. With class weights, this divisor is the sum of the weights over the rows that count. If all rows
are padding, the mean loss is NaN with a gradient of 0, and with `reduction="sum"` the loss is 0. PyTorch ignores the
label of a padded row, but not its logits. A NaN or an infinity among these logits makes the row's gradient NaN, because
`LogSoftmaxBackward0` multiplies exp(log-softmax) by 0.

Asked next:

- A padded row has a NaN among its logits. What does your code return, and what does PyTorch return? → Assigning 0 to
  the row overwrites the NaN. Multiplying by a mask would keep the NaN, because 0 times NaN is NaN. PyTorch multiplies,
  so its gradient for the row is NaN. This NaN spreads to the weights that computed the logits.
- Four micro-batches have 10, 0, 50 and 3 rows that count. How do you get the gradient of the mean over all 63 rows?
  → In each micro-batch, sum the losses of the rows instead of averaging them, and divide the sum by 63. If this total
  is not known before the first backward, scale all gradients at the end. Averaging the four means would weight a row of
  the last micro-batch 50/3 times as much as a row of the third.
- The micro-batches are on R ranks of data-parallel training, which averages gradients over the ranks. How does each
  rank scale its losses? → First add up the K of all ranks. Each rank then multiplies the sum of its own losses by R and
  divides the product by this total. The average over the ranks cancels the factor R.
- With class weights w, what is the gradient of the weighted mean? → The gradient of row n is multiplied by the weight
  of its label. The divisor is the sum of these weights over the rows that count, instead of K.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Which rows does the sum run over, and how many of them are there?",
    (
        "Take softmax minus one-hot in the rows that count and 0 in the others. Divide everything by the number of "
        "rows that count."
    ),
    (
        "Make a boolean array `kept`. Index with `np.flatnonzero(kept)` and the labels of those rows. Divide by the "
        "number of kept rows, or by 1 if there are none."
    ),
)


def padded(ignore):
    """Draw labels, some of which are `ignore`. One row always counts, because the mean over no rows is NaN."""

    def draw(rng, shape, sizes):
        y = rng.integers(0, sizes["C"], shape)
        dropped = rng.random(len(y)) < 0.6
        counting = rng.integers(len(y))
        others = np.arange(len(y)) != counting
        dropped[counting] = False
        if not dropped.any():
            dropped[others] = True
        return np.where(dropped, ignore, y)

    return draw


# If the logits were a few tens apart, the case would test digits of p - 1 that only one order of operations keeps. So
# these logits are hundreds apart.
def hundreds(rng, shape, _):
    return 100.0 * rng.integers(-20, 21, shape)


CASES = [
    given("logits[N,C] y[N]", y=padded(-100), large={"N": 20, "C": 5000}, note="padded with -100"),
    given("logits[N,C] y[N]", y=padded(-1), ignore=-1, note="padded with -1"),
    given("logits[N,C] y[N]", y=padded(99), ignore=99, note="padded with 99"),
    given("logits[6,C] y[6]", y=padded(-100), note="6 rows"),
    given("logits[N,C] y[N]", y=padded(0), ignore=-1, note="no padding"),
    given("logits[2,C] y[2]", y=[-100, -100], smooth=False, note="only padding"),
    given(
        "logits[N,C] y[N]",
        logits=hundreds,
        y=padded(-100),
        smooth=False,
        large=False,
        note="logits of ±1000",
    ),
    given(
        "logits[3,2] y[3]",
        logits=[[1000.0, 999.0], [0.0, 1.0], [-1000.0, -998.0]],
        y=[1, -100, 0],
        smooth=False,
        note="rows far apart",
    ),
    given(
        "logits[2,3] y[2]",
        logits=[[1.0, 2.0, 3.0], [0.0, np.inf, 0.0]],
        y=[2, -100],
        smooth=False,
        remark=True,
        note="an infinite logit in an ignored row",
    ),
]


def forward(logits, y, ignore=-100):
    # Without `where`, an infinite logit would make its ignored row NaN, as in PyTorch.
    return engine.cross_entropy(engine.where((y == ignore)[:, None], 0, logits), y, ignore_index=ignore)


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    rows = np.flatnonzero(kept)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[rows, y[rows]] -= 1
    p[~kept] = 0
    return p * (g / max(len(rows), 1))


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@mistake(
    "divide-by-N",
    "the mean runs over the whole batch, including the padding",
    "Add ten padded rows to the batch. Should the gradient of the other rows change?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * (g / len(y))


@mistake(
    "index-minus-100",
    "the label of a padded row is a valid index",
    "What does `p[0, -100]` do, and what would it do with 200 classes? Which rows should be indexed at all?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    p = softmax(logits)
    p[np.arange(len(y)), y] -= 1
    p[~kept] = 0
    return p * (g / max(int(kept.sum()), 1))


@mistake(
    "not-zeroed",
    "a padded row still contributes its softmax to the gradient",
    "Change the logits of a padded row. Does the loss change?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    return p * (g / max(len(rows), 1))


@mistake(
    "always-minus-100",
    "padding always has the label -100",
    "Which argument does your function never use?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != -100
    rows = np.flatnonzero(kept)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[~kept] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "no-mean",
    "the loss is a sum over the rows that count",
    "If every row is in the batch twice, should the gradient of a row stay the same?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * g


@mistake(
    "divide-by-0",
    "at least one row always counts",
    "Take a batch of only padding. By what does your code divide?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * (g / logits.dtype.type(len(rows)))


@mistake(
    "padding-is-class-0",
    "the label of a padded row is class 0",
    "Change the logits of a padded row. Does the loss change?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    p = softmax(logits)
    p[np.arange(len(y)), np.where(y == ignore, 0, y)] -= 1
    return p * (g / max(int((y != ignore).sum()), 1))


@mistake(
    "one-more",
    "the divisor is one more than the number of rows that count",
    "Suppose one row counts. By what must you divide, and by what does your code divide?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * (g / (len(rows) + 1))


@mistake(
    "divide-by-padding",
    "the mean runs over the padded rows",
    "Add a padded row. Should the gradient of the other rows change?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * (g / max(int((y == ignore).sum()), 1))


@mistake(
    "mask-times-nan",
    "multiplying a row by 0 always clears it",
    "Multiplying is right for finite logits. If an ignored row holds an infinity, its softmax is NaN. What is 0 * nan?",
    remark=True,
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    rows = np.flatnonzero(kept)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    return p * kept[:, None].astype(p.dtype) * (g / max(len(rows), 1))


@mistake(
    "negative-is-padding",
    "a row is padding if its label is negative",
    "Which argument does your function never use? Try `ignore=99`.",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y >= 0)
    p = softmax(logits) * (y >= 0)[:, None]
    inside = rows[y[rows] < logits.shape[1]]
    p[inside, y[inside]] -= 1
    return p * (g / max(1, len(rows)))


@mistake(
    "every-row-every-label",
    "`[:, y]` takes one entry of each row",
    "Print the shape of `p[:, y]` for three rows. How many entries should one row change?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    p = softmax(logits)
    p[:, y[kept]] -= 1
    p[~kept] = 0
    return p * (g / max(int(kept.sum()), 1))


@mistake(
    "negative-without-guard",
    "every label that is not negative is a class",
    "Which argument does your function never use? Try `ignore=99`.",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y >= 0
    rows = np.flatnonzero(kept)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[~kept] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "negative-rows-zeroed",
    "the ignored rows are those with a negative label",
    "Try `ignore=99`. Which rows of your result are 0, and which rows should be?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[y < 0] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "above-ignore",
    "`ignore` is smaller than every class",
    "Try `ignore=99`. For which rows is y > 99?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y > ignore
    rows = np.flatnonzero(kept)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[~kept] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "rows-counted-anew",
    "the rows that count are the first rows",
    "Take y = [-100, 1]. From which row does your code subtract 1?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    p = softmax(logits)
    p[np.arange(int(kept.sum())), y[kept]] -= 1
    p[~kept] = 0
    return p * (g / max(int(kept.sum()), 1))


@mistake(
    "no-max-shift",
    "exp of a logit cannot overflow",
    "exp(1000) is inf, and inf/inf is NaN. What can you subtract from a row without changing its softmax?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "global-shift",
    "one maximum serves the whole batch",
    "Suppose all logits of one row are 1000 below the batch's largest. What is the sum of that row's exponentials?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    e = np.exp(logits - logits.max())
    p = e / e.sum(axis=1, keepdims=True)
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * (g / max(len(rows), 1))


@mistake("batch-axis", "softmax runs over the batch", "What must sum to 1: a row or a column of p?")
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits.T).T
    p[rows, y[rows]] -= 1
    p[y == ignore] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "label-added",
    "the 1 at the label is added",
    "If the prediction is perfect, the gradient must be 0. Is your gradient 0 then?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p = softmax(logits)
    p[rows, y[rows]] += 1
    p[y == ignore] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "no-label",
    "the gradient is the prediction itself",
    "If the prediction is perfect, the gradient must be 0. Where does your code use the labels?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    return np.where(kept[:, None], softmax(logits), 0) * (g / max(int(kept.sum()), 1))


@mistake(
    "only-true-class", "only the true class has a gradient", "Which logits must fall when the prediction is wrong?"
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows, d = np.flatnonzero(y != ignore), np.zeros_like(logits)
    d[rows, y[rows]] = softmax(logits)[rows, y[rows]] - 1
    return d * (g / max(len(rows), 1))


@mistake(
    "kept-and-ignored-exchanged",
    "the rows with the label `ignore` are the ones that count",
    "For which rows is your mask True? Which rows of dlogits must be 0?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y == ignore)
    p = softmax(logits)
    p[rows, y[rows]] -= 1
    p[y != ignore] = 0
    return p * (g / max(len(rows), 1))


@mistake(
    "kept-rows-only",
    "dlogits has only the rows that count",
    "Which shape must dlogits have? What does it contain in an ignored row?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    p = softmax(logits[kept])
    p[np.arange(len(p)), y[kept]] -= 1
    return p * (g / max(len(p), 1))


@mistake(
    "epsilon-in-log",
    "a small number may be added to p in log p",
    "The label has the probability 0. What is p/(p + 1e-8) there, and what should it be?",
)
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    p, q = softmax(logits), np.zeros_like(logits)
    q[rows, y[rows]] = 1
    dp = -q / (p + 1e-8)
    return p * (dp - (dp * p).sum(axis=1, keepdims=True)) * (g / max(len(rows), 1))
