"""Every term of a row's loss contains only lse and single logits. Since -log p_v = lse - logits_v, the first two terms
together are

    lse - (1 - eps) · logits_y - eps · (1/V) Σ_v logits_v

The slope of lse with respect to logits_v is p_v. The slope of lse² is 2 · lse · p_v. A row that counts therefore
contributes

    p · (1 + 2 · z · lse) - (1 - eps) · onehot(y) - eps/V

and g/K scales it. A padded row contributes nothing, neither through its label nor through its lse.

Label smoothing replaces the one-hot target by the distribution q = (1 - eps) · onehot(y) + eps/V. The first part of the
gradient is p - q. This part sums to 0 over a row, because softmax does not change if all logits of the row move
together. The z-loss does see such a shift: its part of the gradient sums to 2 · z · lse. The z-loss therefore pulls lse
to 0. No other part of the loss reacts to a common shift.

Subtract each row's maximum before the exponentials. To get lse, add the maximum to the logarithm of their sum.

Cost: one softmax, as in the forward, and a few more operations per logit. If the forward saves lse, one number per row,
backward needs only one exponential per logit and no reduction. The result has the size of the logits.

PyTorch: `F.cross_entropy(..., label_smoothing=eps)` computes the first two terms. The uniform part includes the true
class, as in this exercise. PyTorch has no z-loss; add `z * torch.logsumexp(logits, -1)[y != -100].square().mean()`.
`LogsumexpBackward0` saves the logits, whereas cross-entropy alone saves the log-softmax. Liger's fused kernel has the
z-loss as the option `lse_square_scale`.

Asked next:

- What does the z-loss fix? → The cross-entropy does not change if all logits of a row move together, so the logits may
  drift. Around 1000, bfloat16 numbers are 4 apart, so small differences between logits are lost. With z around 1e-4 the
  z-loss keeps lse near 0 and hardly changes the rest.
- Does the loss of one row have a minimum? → Without smoothing, the loss has no minimum, because it falls as long as the
  label's logit rises above the others. With smoothing and z > 0, the gradient is 0 only at p = q and lse = 0, so the
  logits are log q.
- Some code spreads eps over the other V - 1 classes only. What does this change? → The true class then gets the target
  1 - eps. In this exercise it gets 1 - eps + eps/V. The two agree if the other version uses eps · (V - 1)/V.
- The vocabulary is split over ranks. What does the z-loss add to the communication? → Nothing. The ranks already
  exchange a maximum and a sum of exponentials per row, and these give lse.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given

HINTS = (
    "Write -log p_v as lse - logits_v. Which terms of a row's loss contain lse?",
    (
        "The slope of lse is the softmax p, and the slope of lse² is 2 · lse · p. The label gets -(1 - eps), and every "
        "class gets -eps/V."
    ),
    (
        "Build the target with `np.full_like(logits, eps / V)` and add the rest at the labels. Before the scaling, the "
        "gradient of a row is p times a bracket, minus the target. The bracket is 1 plus the factor of p in the slope "
        "of z · lse²."
    ),
)


def padded(ignore):
    def draw(rng, shape, sizes):
        y = rng.integers(0, sizes["V"], shape)
        counting = rng.integers(len(y))
        return np.where((rng.random(len(y)) < 0.5) & (np.arange(len(y)) != counting), ignore, y)

    return draw


def hundreds(rng, shape, _):
    return 100.0 * rng.integers(-10, 11, shape)


CASES = [
    given("logits[N,V] y[N]", y=padded(-100), eps=0.1, z=0.05, large={"N": 20, "V": 5000}),
    given("logits[N,V] y[N]", y=below("V"), eps=0.0, z=0.5, large=False, note="eps=0"),
    given("logits[N,V] y[N]", y=padded(99), eps=0.3, z=0.0, ignore=99, large=False, note="z=0, padded with 99"),
    given("logits[3,V] y[3]", y=-100, eps=0.1, z=0.1, smooth=False, note="only padding"),
    given(
        "logits[N,V] y[N]",
        logits=hundreds,
        y=padded(-100),
        eps=0.25,
        z=0.001,
        smooth=False,
        large=False,
        note="logits of ±1000",
    ),
    given(
        "logits[3,2] y[3]",
        logits=[[0.0, 0.0], [5.0, 5.0], [-1.0, 2.0]],
        y=[1, -100, 0],
        eps=0.5,
        z=0.25,
        note="chosen points",
    ),
]
MISTAKES = [
    edit(
        "square-without-2",
        "the slope of lse² is lse",
        "What is the derivative of u²?",
        "2 * z -> z",
    ),
    edit(
        "z-to-all-logits",
        "lse has the same slope with respect to every logit",
        "By how much does lse grow if a logit far below the maximum grows by 1?",
        "p * (1 + 2 * z * lse) -> p + 2 * z * lse",
    ),
    edit(
        "z-detached",
        "the z-loss is only reported",
        "Does L change if all logits of a row grow by 1?",
        "p * (1 + 2 * z * lse) -> p",
    ),
    edit(
        "z-not-squared",
        "the z-loss is z · lse",
        "How does the pull of the z-loss depend on the size of lse?",
        "2 * z * lse -> z",
    ),
    edit(
        "lse-of-shifted",
        "the shift by the maximum does not change lse",
        "The softmax does not change if all logits move together. Does lse change?",
        "lse = ... -> lse = np.log(total)",
    ),
    edit(
        "divides-by-N",
        "the mean runs over all rows",
        "Add a padded row. Should the gradient of the other rows shrink?",
        "max(len(rows), 1) -> len(y)",
    ),
    edit(
        "z-on-ignored-rows",
        "padding takes part in the z-loss",
        "Which rows does the mean run over?",
        "dlogits[~kept] = 0 -> dlogits[~kept] = (2 * z * lse * p)[~kept]",
    ),
    edit(
        "padding-not-cleared",
        "a row without a label already has the gradient 0",
        "What does your code return in a row that does not enter the loss?",
        "dlogits[~kept] = 0 -> pass",
    ),
    edit(
        "hard-label",
        "the target is the one-hot label",
        "Which argument does your function never use?",
        "eps / V -> 0.0",
        "+= 1 - eps -> += 1",
    ),
    edit(
        "no-uniform-part",
        "smoothing only shrinks the label's term",
        "For z = 0, what must the gradient of a row sum to?",
        "eps / V -> 0.0",
    ),
    edit(
        "eps-over-the-others",
        "the true class has no share of eps",
        "Does the sum over v in the second term leave out the label?",
        "eps / V -> eps / max(V - 1, 1)",
        "+= 1 - eps -> = 1 - eps",
    ),
    edit(
        "eps-not-averaged",
        "every class has the share eps",
        "Which factor does the second term have before the sum?",
        "eps / V -> eps",
    ),
    edit(
        "no-max-shift",
        "exp of a logit cannot overflow",
        "exp(1000) is inf, and inf/inf is NaN. What can you subtract from a row without changing its softmax?",
        "shift = ... -> shift = 0.0",
    ),
    edit(
        "sign",
        "the gradient is the target minus the prediction",
        "A descent step must raise the logit of the true class. Does a step with your gradient raise it?",
        "return g -> return -g",
    ),
    edit(
        "padding-is-negative",
        "padding always has a negative label",
        "With ignore = 99, which rows does your code leave out?",
        "kept = ... -> kept = y >= 0",
        "target[rows, y[rows]] += 1 - eps -> target += (1 - eps) * (y[:, None] == np.arange(V))",
    ),
    edit(
        "negative-without-guard",
        "every label that is not negative is a class",
        "Which argument does your function never use? Try `ignore=99`.",
        "kept = ... -> kept = y >= 0",
    ),
    edit(
        "label-0-is-padding",
        "a label of 0 marks padding",
        "Which argument marks padding? Is 0 a class?",
        "kept = ... -> kept = (y != ignore) & (y > 0)",
    ),
    edit(
        "counts-nonnegative",
        "the mean runs over all rows with a label of at least 0",
        "With ignore = 99, how many rows does the mean run over, and how many does your code count?",
        "max(len(rows), 1) -> max(int((y >= 0).sum()), 1)",
    ),
    edit(
        "epsilon-in-log",
        "a small number may be added to p in log p",
        "The label has the probability 0. What is p/(p + 1e-8) there, and what should it be?",
        "p * (1 + 2 * z * lse) - target -> "
        "p * ((target / (p + 1e-8) * p).sum(axis=1, keepdims=True) + 2 * z * lse - target / (p + 1e-8))",
    ),
]


def forward(logits, y, eps, z, ignore=-100):
    rows = np.flatnonzero(y != ignore)
    kept = logits[rows]
    lse = engine.logsumexp(kept, axis=1)
    losses = lse - (1 - eps) * kept[np.arange(len(rows)), y[rows]] - eps * kept.mean(axis=1) + z * lse * lse
    return losses.sum() / max(len(rows), 1)


def zloss_cross_entropy_backward(g, logits, y, eps, z, ignore=-100):
    V = logits.shape[1]
    kept = y != ignore
    rows = np.flatnonzero(kept)
    shift = logits.max(axis=1, keepdims=True)
    e = np.exp(logits - shift)
    total = e.sum(axis=1, keepdims=True)
    p = e / total
    lse = shift + np.log(total)
    target = np.full_like(logits, eps / V)
    target[rows, y[rows]] += 1 - eps
    dlogits = p * (1 + 2 * z * lse) - target
    dlogits[~kept] = 0
    return g * dlogits / max(len(rows), 1)
