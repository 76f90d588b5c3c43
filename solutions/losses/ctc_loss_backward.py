"""The loss of CTC is minus the logarithm of a sum over paths, P = Σ_π Π_t p_t(π_t). Each path is a product, so the
derivative of log P with respect to log p_t(c) is the share of P that belongs to the paths with class c at step t. Call
this share γ_t(c). It is the posterior probability of class c at step t, given that the path reads y. Each row of γ sums
to 1, because every path has exactly one class at step t.

The backward of log-softmax turns the gradient -γ into

    dlogits = g · (p - γ)

This is the gradient of a cross-entropy with the soft targets γ instead of a one-hot label.

γ needs sums over paths. Dynamic programming computes these sums. Put a blank before, between and after the labels:

    z = (blank, y_1, blank, y_2, ..., y_L, blank)

A path that reads y walks through the 2L + 1 positions of z. It starts at one of the first two positions and ends at one
of the last two. At each step it stays or moves one position on. It may also skip a blank between two *different*
labels. The blank between two equal labels cannot be skipped, because the two labels would then merge. In code, a path
may move two positions on if the classes at the two positions differ. This rule also forbids skipping a label, because
the positions on its two sides are both blanks.

Let α_t(s) be the sum of the probabilities of all beginnings of paths that are at position s at step t, including
p_t(z_s). Let β_t(s) be the same sum for the endings, also including p_t(z_s). If time and positions are reversed, the
endings become beginnings, so one function computes α and β. The product α_t(s) β_t(s) contains p_t(z_s) twice, so it is
divided by p_t(z_s) once:

    P = α_T(2L) + α_T(2L+1)
    share of position s at step t = α_t(s) β_t(s) / (p_t(z_s) P)

γ_t(c) is the sum of these shares over all positions s with z_s = c. The blank has L + 1 positions, and a label may
occur more than once in y. The code works with logarithms, because a product of T probabilities underflows.

Cost: O(T·L) for the two recursions and O(T·V) for the softmax. The forward needs one recursion. The tables of α and β
hold T(2L+1) numbers each.

PyTorch: The call is `F.ctc_loss(log_probs, targets, input_lengths, target_lengths)`. `CtcLossBackward0` saves the
log-probabilities and log α, and its backward computes β. The gradient that it returns for `log_probs` is p - γ,
although the derivative is -γ. After `log_softmax` this makes no difference, because the rows of p - γ sum to 0. If
`log_probs` is not the result of `log_softmax`, the gradient is wrong, and `gradcheck` fails. `reduction="mean"` divides
each loss by the length of its label sequence before it averages.

Asked next:

- T is too short for y. What are P, the loss and the gradient? → P is 0, the loss is infinite and the gradient is NaN.
  PyTorch's `zero_infinity=True` sets the loss and the gradient to 0. The shortest T is L plus the number of equal
  neighbours in y.
- Why is the second recursion not needed in principle? → Reverse mode of the recursion for log α gives the posterior of
  each position directly, as the gradient of log P with respect to the log-probabilities. The recursion for β is this
  reverse mode, written by hand.
- A batch holds sequences of different lengths. What is the gradient of the padded steps? → It is 0. P is read at the
  last real step, so the logits after it do not affect the loss. If P were read at the last padded step, the model would
  be trained to emit blanks there.
- Why do trained models emit mostly blanks, with single steps for the labels? → Training pushes the prediction of each
  step towards the posterior γ. The blank occurs at L + 1 positions and between all labels. So if T is well above L, γ
  gives the blank the largest share in most steps at the start of training. This makes the blank more probable, and the
  next γ gives it a larger share still.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "The loss is -log of a sum of products. What share of this sum contains the factor p_t(c)?",
    (
        "Put blanks around the labels. Sum over the beginnings and over the endings of paths at each position, in "
        "logarithms. Multiply the two sums, divide by P, and divide by the one probability that is in both sums. The "
        "result is the share of a position. Add the shares of all positions with the same class."
    ),
    (
        "A path reaches a position in one of three ways: it stays there, it comes from the position before, or it "
        "skips one position. A skip must end at a label that differs from the label two positions before. To sum over "
        "the endings, sum over the beginnings of the reversed arrays. What must you subtract from softmax to get "
        "dlogits?"
    ),
)
WRT = ("logits",)


# Two equal neighbours take one step more, so a label is repeated only while steps are left.
def labels(rng, shape, sizes):
    y, spare = [], sizes["T"] - shape[0]
    while len(y) < shape[0]:
        label = int(rng.integers(1, sizes["V"]))
        if y and label == y[-1]:
            if spare > 0:
                spare -= 1
            elif sizes["V"] > 2:
                continue
        y.append(label)
    return np.array(y, dtype=int)


def none(rng, shape, _):
    return np.zeros(shape, int)


def last_far_above(rng, shape, _):
    return rng.normal(size=shape) + 1000 * (np.arange(shape[1]) == shape[1] - 1)


CASES = [
    given("logits[T>=7,V>=2] y[L]", y=labels, large={"T": 7, "V": 20_000, "L": 3}),
    given("logits[4,V>=3] y[3]", y=[2, 2, 1], large=False, note="a repeated label, and just enough steps"),
    given("logits[3,V>=3] y[3]", y=[1, 2, 1], large=False, note="one label per step"),
    given("logits[5,V>=3] y[1]", y=[2], large=False, note="one label"),
    given("logits[T,V>=2] y[0]", y=none, large=False, note="no labels"),
    given("logits[1,V>=3] y[1]", y=[1], large=False, note="one step"),
    given(
        "logits[5,3] y[2]",
        logits=[[1000.0, 0, 1], [-1000, 2, 1], [1000, 999, -1000], [0, 1000, 1001], [1, 0, -1000]],
        y=[1, 2],
        note="logits of ±1000",
    ),
    given(
        "logits[3,3] y[3]",
        logits=[[0.0, -800, 1], [1, 0, -800], [2, -800, -1]],
        y=[1, 2, 1],
        note="a path of probability 0 in floating point",
    ),
    # The probability of every path is about exp(-13000), too small for any floating-point format.
    given(
        "logits[13,3] y[2]",
        logits=last_far_above,
        y=[1, 1],
        large=False,
        note="logits 1000 apart over 13 steps",
    ),
]
MISTAKES = [
    edit(
        "skip-between-repeats",
        "a path may skip the blank between two equal labels",
        "Suppose the path for `aa` skips the blank. How does it then differ from the path for `a`?",
        "z != np.roll(z, 2) -> np.array(z) != 0",
    ),
    edit(
        "never-skips",
        "there is always a blank between two labels",
        "Does the path `ab` read `ab`?",
        "z != np.roll(z, 2) -> np.array(z) < 0",
    ),
    edit(
        "skips-labels",
        "a path may skip any position",
        "A path that skips a label reads something else. Which positions may be skipped?",
        "z != np.roll(z, 2) -> np.array(z) >= 0",
    ),
    edit(
        "blank-first-and-last",
        "every path begins and ends with a blank",
        "Does the path `ab` read `ab`? At which positions may a path start?",
        "a[0, 2:4] = e[0, :2] -> a[0, 2:3] = e[0, :1]",
        "a[-1, -2:] -> a[-1, -1:]",
    ),
    edit(
        "starts-anywhere",
        "a path may start at any position",
        "Suppose a path starts at the second label. Which label is missing when the path is read?",
        "a[0, 2:4] = e[0, :2] -> a[0, 2:] = e[0]",
    ),
    edit(
        "emission-counted-twice",
        "only one of α and β contains the probability of step t",
        "Do the shares of a step sum to 1 in your code?",
        "a + b - e - -> a + b -",
    ),
    edit(
        "emission-twice-normalised",
        "dividing each row by its sum removes the probability that both sums contain",
        "A row's sum divides all positions by the same number. Is this probability the same at all positions?",
        "np.logaddexp.reduce(a[-1, -2:]) -> np.logaddexp.reduce(a + b, axis=1)[:, None]",
        "a + b - e - -> a + b -",
    ),
    edit(
        "softmax-forgotten",
        "the logits are log-probabilities",
        "Your result is the gradient with respect to the log-probabilities. What does the backward of log-softmax add?",
        "d = np.exp(lp) -> d = np.zeros_like(lp)",
    ),
    edit(
        "positions-assigned",
        "each class has only one position among the labels and blanks",
        "At how many positions is the blank? Does your code add the shares of these positions?",
        "d[:, c] -= share[:, s] -> d[:, c] = np.exp(lp[:, c]) - share[:, s]",
    ),
    edit(
        "best-path",
        "only the most probable class of each step contributes",
        "The loss sums over paths. Which paths contribute to the derivative of a logarithm of a sum?",
        "return g * d -> p = np.exp(lp); return g * (p - np.eye(p.shape[1], dtype=p.dtype)[(p - d).argmax(axis=1)])",
    ),
    edit(
        "filtered",
        "the steps up to t alone decide the share of a class at step t",
        "Can a later step change the probability that a label was already read at step t?",
        "a + b - e - np.logaddexp.reduce(a[-1, -2:]) -> a - np.logaddexp.reduce(a, axis=1)[:, None]",
    ),
    edit(
        "repeated-label-once",
        "each label occurs once in y",
        "`d[:, [1, 1]] -= s` subtracts only one of the two columns of s. Which labels occur twice in y?",
        "for s, c in enumerate(z): -> d[:, z[1::2]] -= share[:, 1::2]\n    for s, c in enumerate(z):",
        "d[:, c] -= share[:, s] -> d[:, c] -= share[:, s] * (c == 0)",
    ),
    edit(
        "ends-with-blank",
        "every path ends with a blank",
        "Does the path `ab` read `ab`? At which two positions may a path end?",
        "def beginnings(e, z): -> def beginnings(e, z, n=2):",
        "a[0, 2:4] = e[0, :2] -> a[0, 2 : 2 + n] = e[0, :n]",
        "beginnings(e[::-1, ::-1], z[::-1]) -> beginnings(e[::-1, ::-1], z[::-1], 1)",
        "a[-1, -2:] -> a[-1, -1:]",
    ),
    # In log-softmax's backward a row without shares is 0, also where no path ends with a blank.
    edit(
        "last-label-is-no-end",
        "a path may not end at the last label",
        "Does the path `ab` read `ab`? At which two positions may a path end?",
        "def beginnings(e, z): -> def beginnings(e, z, n=2):",
        "a[0, 2:4] = e[0, :2] -> a[0, 2 : 2 + n] = e[0, :n]",
        "beginnings(e[::-1, ::-1], z[::-1]) -> beginnings(e[::-1, ::-1], z[::-1], 1)",
        "a[-1, -2:])) -> a[-1, -1:])); share = np.where(np.isnan(share), 0, share); share[-1, -1] = 1",
        "d = np.exp(lp) -> d = np.exp(lp) * share.sum(axis=1, keepdims=True)",
    ),
    edit(
        "starts-with-blank",
        "every path begins with a blank",
        "Does the path `ab` read `ab`? At which two positions may a path start?",
        "def beginnings(e, z): -> def beginnings(e, z, n=2):",
        "a[0, 2:4] = e[0, :2] -> a[0, 2 : 2 + n] = e[0, :n]",
        "beginnings(e, z) -> beginnings(e, z, 1)",
    ),
    edit(
        "no-labels-no-gradient",
        "without labels there is nothing to learn",
        "y is empty. Which paths read y, and how does their probability change if a logit of the blank rises?",
        "return g * d -> return g * d * (len(y) > 0)",
    ),
    edit(
        "blank-last",
        "the blank is the last class",
        "Read the task again: which class is the blank?",
        "z = [0] + [c for label in y for c in (label, 0)] -> n = logits.shape[1] - 1\n    "
        "z = [n] + [c for label in y for c in (label, n)]",
    ),
    edit(
        "divided-by-length",
        "the loss is divided by the number of labels, as in PyTorch's mean",
        "Does the task's formula for the loss contain the length of y?",
        "return g * d -> return g * d / max(len(y), 1)",
    ),
    edit(
        "global-shift",
        "one maximum serves for all steps",
        "A row's largest logit is 998 below the largest logit of all. What is the sum of its exponentials?",
        "logits.max(axis=1, keepdims=True) -> logits.max()",
    ),
]


def forward(logits, y):
    lp = engine.log_softmax(logits, axis=1)
    steps, length = np.array([len(y)]), np.array([logits.shape[0]])
    return engine.ctc_loss(engine.expand_dims(lp, 1), y[None].astype(int), length, steps, reduction="sum")


def log_softmax(logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def beginnings(e, z):
    """Return log α by step and position. e[t, s] is log p_t(z_s)."""
    skips = z != np.roll(z, 2)
    # No path reaches the first two columns.
    a = np.full((len(e), len(z) + 2), -np.inf, e.dtype)
    a[0, 2:4] = e[0, :2]
    for t in range(1, len(e)):
        skipped = np.where(skips, a[t - 1, :-2], -np.inf)
        paths = a[t - 1, 2:], a[t - 1, 1:-1], skipped
        a[t, 2:] = np.logaddexp.reduce(paths) + e[t]
    return a[:, 2:]


def ctc_loss_backward(g, logits, y):
    z = [0] + [c for label in y for c in (label, 0)]
    lp = log_softmax(logits)
    e = lp[:, z]
    a = beginnings(e, z)
    b = beginnings(e[::-1, ::-1], z[::-1])[::-1, ::-1]
    share = np.exp(a + b - e - np.logaddexp.reduce(a[-1, -2:]))
    d = np.exp(lp)
    for s, c in enumerate(z):
        d[:, c] -= share[:, s]
    return g * d


@mistake(
    "probability-domain",
    "the probabilities of paths can be multiplied directly",
    "What is the product of a few probabilities of e^-1000 in floating point? What do you divide by then?",
)
def ctc_loss_backward(g, logits, y):
    z = [0] + [c for label in y for c in (label, 0)]
    p = np.exp(log_softmax(logits))
    e = p[:, z]

    def sums(e, z):
        skips = z != np.roll(z, 2)
        a = np.zeros((len(e), len(z) + 2), e.dtype)
        a[0, 2:4] = e[0, :2]
        for t in range(1, len(e)):
            a[t, 2:] = e[t] * (a[t - 1, 2:] + a[t - 1, 1:-1] + skips * a[t - 1, :-2])
        return a[:, 2:]

    a, b = sums(e, z), sums(e[::-1, ::-1], z[::-1])[::-1, ::-1]
    share = a * b / (e * a[-1, -2:].sum())
    return g * (p - share @ np.eye(logits.shape[1], dtype=p.dtype)[z])
