"""The KTO loss (Ethayarajh et al., 2024) averages a sigmoid of one number per answer. Let u = beta · (r - z). Because z
is a constant, u has slope beta with respect to logp.

A good answer costs w_good · (1 - σ(u)). The slope of the sigmoid is σ' = σ(1 - σ), so this cost has slope -w_good ·
σ'(u) with respect to u. A bad answer costs w_bad · (1 - σ(-u)) = w_bad · σ(u), with slope w_bad · σ'(u). With the mean,

    dlogp = g · beta/N · σ(u)(1 - σ(u)) · (-w_good if good, w_bad if bad)

A good answer is pushed up and a bad one is pushed down. σ' is largest at u = 0, where it is 1/4, and goes to 0 on both
sides. So an answer that is clearly right has almost no gradient, and an answer that is hopelessly wrong has almost none
either. The loss of DPO is -log σ, whose slope approaches 1 in size for a hopeless pair.

z has no gradient, but every u depends on its value, so z must be computed. z estimates a KL divergence, which is never
negative. The maximum therefore keeps z at 0 or above.

σ' is even, so σ'(u) = e/(1 + e)² with e = exp(-|u|). This exponential never overflows. With exp(-u), a u far below 0
would give inf/inf = NaN.

Cost: one mean, and one exponential and about eight other operations per answer, as in the forward. The forward saves u,
or its sigmoid, and the labels. The expensive part is computing the log-probabilities. The reference needs no backward.

PyTorch: TRL computes `1 - F.sigmoid(beta * (logratios - kl))` and detaches `kl`, so autograd finds this gradient.
`SigmoidBackward0` saves its output s and multiplies by s(1 - s). TRL does not average r over the answers themselves. It
pairs each prompt with the answer to another prompt of the batch, averages r over these pairs and over all processes,
and then clamps the average at 0.

Asked next:

- Why does TRL estimate z from mismatched pairs of prompt and answer? → z should measure how far the policy has drifted
  from the reference in general. The labelled answers are those that training pushes up or down, so their mean r is no
  estimate of that drift.
- The policy is hopelessly wrong about a good answer, with u = -10. How do the gradients of KTO and DPO compare? → KTO's
  factor is σ'(-10) = 4.5e-5, and DPO's factor is σ(10) = 0.99995. KTO stops training on such answers, which helps if
  their labels are wrong.
- You forget to detach z, and the mean of r is positive. What changes? → The mean of all gradients is then subtracted
  from each gradient, so the gradients sum to 0. In a batch of good answers with equal r, all gradients are then 0.
- The data has ten times as many bad answers as good ones. Which arguments correct this? → The total weight of each
  group matters, so w_good · (number of good answers) should be near w_bad · (number of bad answers). Choose w_good = 10
  and w_bad = 1, or a little more for w_good.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given, mistake, uniform

HINTS = (
    "Write each cost as a function of u = beta · (r - z). With which sign does u enter the cost of a bad answer?",
    (
        "The slope of a sigmoid is σ(1 - σ). A good answer has the factor -w_good and a bad one has w_bad. Multiply by "
        "beta, 1/N and g. Treat z as a constant."
    ),
    "With `e = np.exp(-beta * np.abs(...))`, the slope of the sigmoid is e/(1 + e)². Choose the factor by `np.where`.",
)
WRT = ("logp",)
RESULTS = ("dlogp",)
ARRAYS = "logp[N] logp_ref[N] good[N]"


# Finite differences would move the constant z as well, so only cases with a mean of r below 0 use them.
def drawn(above, **options):
    high, low = uniform(-1, 0), uniform(-3, -2)
    logs = {"logp": high, "logp_ref": low} if above else {"logp": low, "logp_ref": high}
    return given(ARRAYS, **logs, smooth=not above, **options)


CASES = [
    drawn(False, good=below(2), beta=0.5, w_good=1.0, w_bad=1.5, large=False, note="mean of r below 0"),
    drawn(True, good=below(2), beta=0.7, w_good=2.0, w_bad=1.0, note="mean of r above 0"),
    drawn(True, good=1, beta=0.5, w_good=1.5, w_bad=2.0, large=False, note="only good answers"),
    drawn(False, good=0, beta=0.5, w_good=1.5, w_bad=2.0, large=False, note="only bad answers"),
    given(
        "logp[5] logp_ref[5] good[5]",
        logp=[-1.0, -2.0, -3.0, -1.0, -6.0],
        logp_ref=[-3.0, -2.0, -2.0, -4.0, -3.5],
        good=[1, 0, 1, 0, 1],
        beta=1.0,
        w_good=1.0,
        w_bad=3.0,
        smooth=False,
        note="good and bad answers on both sides of z",
    ),
    given(
        "logp[4] logp_ref[4] good[4]",
        logp=[-10.0, -4010.0, -12.0, -4000.0],
        logp_ref=[-4010.0, -10.0, -10.0, -12.0],
        good=[1, 1, 0, 0],
        beta=0.5,
        w_good=1.0,
        w_bad=2.0,
        smooth=False,
        note="r of ±4000",
    ),
    given(
        "logp[8] logp_ref[8] good[8]",
        logp=[-1.0, -8.0, -1.0, -13.0, -1.0, -5.5, -21.0, -1.0],
        logp_ref=[-8.0, -1.0, -13.0, -1.0, -5.5, -1.0, -1.0, -21.0],
        good=[1, 0, 0, 1, 1, 0, 1, 0],
        beta=1.0,
        w_good=1.0,
        w_bad=2.0,
        smooth=False,
        note="r from 4 to 20",
    ),
]
MISTAKES = [
    edit(
        "clamped-before-mean",
        "the order of the maximum and the mean does not matter",
        "Take r = (3, -1). What is the mean of max(0, r), and what is the maximum of 0 and the mean?",
        "z = ... -> z = np.maximum(r, 0).mean()",
    ),
    edit(
        "good-as-index",
        "integers of 0 and 1 select elements as a mask does",
        "Run `v = np.zeros(4); v[np.array([0, 1, 1, 0])] = 1` and print v. What does an integer index mean?",
        "return ... -> chosen = np.full(len(r), False); chosen[good] = True; "
        "return np.where(chosen, -w_good * slope, w_bad * slope)",
    ),
    edit(
        "same-sign",
        "all answers are pushed up",
        "The cost of a bad answer contains z - r. Which sign does r have there?",
        "w_bad * slope -> -w_bad * slope",
    ),
    edit(
        "sign",
        "the costs are rewards",
        "A descent step must make a good answer more likely. Which sign must dlogp have for this answer?",
        "-w_good * slope, w_bad * slope -> w_good * slope, -w_bad * slope",
    ),
    edit(
        "one-weight",
        "good and bad answers have the same weight",
        "Which weight does the cost of a bad answer contain?",
        "w_bad * slope -> w_good * slope",
    ),
    edit(
        "weights-exchanged",
        "w_bad belongs to the good answers",
        "Which weight does the cost of a good answer contain?",
        "-w_good * slope, w_bad * slope -> -w_bad * slope, w_good * slope",
    ),
    edit(
        "through-z",
        "z depends on logp, so it is differentiated",
        "What does stop(...) do to the gradient of its argument?",
        "return ... -> d = np.where(good, -w_good * slope, w_bad * slope); return d - d.mean() * (r.mean() > 0)",
    ),
    edit(
        "no-z",
        "a term without a gradient can be left out",
        "z shifts the argument of the sigmoid. Does this shift change the slope of the sigmoid?",
        "z = ... -> z = 0",
    ),
    edit(
        "z-not-clamped",
        "z is the mean of r, whatever its sign",
        "Suppose all r of a batch are negative. What is z then?",
        "z = ... -> z = r.mean()",
    ),
    edit(
        "z-of-good-answers",
        "z averages over the good answers only",
        "Which answers does the mean in z run over?",
        "z = ... -> z = max((r * good).sum() / max(good.sum(), 1), 0).astype(r.dtype)",
    ),
    edit(
        "z-not-scaled",
        "beta multiplies r but not z",
        "What is inside the parentheses that beta multiplies?",
        "beta * np.abs(r - z) -> np.abs(beta * r - z)",
    ),
    edit(
        "no-reference",
        "r is the log-probability under the policy",
        "The reference has no gradient. Does its value affect the slope of the sigmoid?",
        "r = ... -> r = logp",
    ),
    edit(
        "no-beta",
        "beta matters only inside the sigmoid",
        "By how much does the argument of the sigmoid move if logp moves by 1?",
        "g * beta -> g",
    ),
    edit(
        "no-mean",
        "the loss is a sum over answers",
        "If every answer is in the batch twice, should the gradient of an answer stay the same?",
        "/ len(r) ->",
    ),
    edit(
        "mean-of-each-class",
        "the good answers and the bad answers have a mean each",
        "A batch has 3 good answers and 1 bad one. By which number does the task divide each cost?",
        "return ... -> bad = max((1 - good).sum(), 1); many = np.where(good, max(good.sum(), 1), bad); "
        "d = np.where(good, -w_good * slope, w_bad * slope); return d * (len(r) / many).astype(r.dtype)",
    ),
    edit(
        "mean-of-two-means",
        "the loss is the mean of two class means",
        "A batch has 3 good answers and 1 bad one. What share has the bad one in the mean of all four?",
        "return ... -> bad = max((1 - good).sum(), 1); many = np.where(good, max(good.sum(), 1), bad); "
        "d = np.where(good, -w_good * slope, w_bad * slope); return d * (len(r) / many / 2).astype(r.dtype)",
    ),
    edit(
        "N-counts-good-answers",
        "N is the number of good answers",
        "How many costs does the mean contain: one for each good answer, or one for each answer?",
        "/ len(r) -> / r.dtype.type(good.sum())",
    ),
    edit(
        "z-clamped-above",
        "z is at most 0",
        "Suppose all r of a batch are positive. What is max(0, mean of r)?",
        "z = ... -> z = min(r.mean(), 0)",
    ),
    edit(
        "z-of-bad-answers",
        "z averages over the bad answers only",
        "Which answers does the mean in z run over?",
        "z = ... -> z = max((r * (1 - good)).sum() / max((1 - good).sum(), 1), 0).astype(r.dtype)",
    ),
    edit(
        "naive-exp",
        "exp(-u) is finite for every u",
        "What is exp(2000) in floating point? What is infinity divided by infinity?",
        "np.abs(r - z) -> (r - z)",
    ),
    edit(
        "saturated-beyond-4",
        "beyond ±4 the sigmoid is exactly 0 or 1",
        "What is the slope of the sigmoid at 4.5? Is that within rounding?",
        "* e / -> * np.where(e > np.exp(-4.0), e, 0) /",
    ),
]
EQUIVALENT = {"swap: r - z -> z - r": "σ' is even, so the sign of u does not matter"}


def forward(logp, logp_ref, good, beta, w_good, w_bad):
    r = logp - logp_ref
    z = engine.stop_gradient(engine.relu(r.mean()))
    cost_good = w_good * (1 - engine.sigmoid(beta * (r - z)))
    cost_bad = w_bad * (1 - engine.sigmoid(beta * (z - r)))
    return engine.where(good == 1, cost_good, cost_bad).mean()


def kto_loss_backward(g, logp, logp_ref, good, beta, w_good, w_bad):
    r = logp - logp_ref
    z = max(r.mean(), 0)
    e = np.exp(-beta * np.abs(r - z))
    slope = g * beta / len(r) * e / (1 + e) ** 2
    return np.where(good, -w_good * slope, w_bad * slope)


def sigmoid(logp, logp_ref, beta):
    r = logp - logp_ref
    return (1 + np.tanh(beta * (r - max(r.mean(), 0)) / 2)) / 2


@mistake("log-sigmoid", "the loss is -log σ, as in DPO", "Does the cost of a good answer contain a logarithm?")
def kto_loss_backward(g, logp, logp_ref, good, beta, w_good, w_bad):
    s = sigmoid(logp, logp_ref, beta)
    return g * beta / len(logp) * np.where(good, -w_good * (1 - s), w_bad * s)


@mistake(
    "sigmoid-only",
    "the slope of the sigmoid is the sigmoid",
    "Far to the right the sigmoid is constant. What is its slope there?",
)
def kto_loss_backward(g, logp, logp_ref, good, beta, w_good, w_bad):
    s = sigmoid(logp, logp_ref, beta)
    return g * beta / len(logp) * np.where(good, -w_good * s, w_bad * s)
