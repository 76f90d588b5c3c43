"""The DPO loss (Rafailov et al., 2023) is logistic regression on one number per pair, the margin z. The slope of the
loss with respect to z is

    d/dz [-log σ(z)] = -σ'(z)/σ(z) = -(1 - σ(z)) = -σ(-z)

The margin z has slope beta with respect to lp_chosen and -beta with respect to lp_rejected. With the mean this gives

    dchosen = -g · beta/N · σ(-z),    drejected = -dchosen

σ(-z) measures how wrongly the pair is ranked. A pair that is ranked clearly right (z ≫ 0) has almost no gradient. A
pair that is ranked clearly wrong has a gradient of nearly g·beta/N in size, and this is the upper limit. dchosen and
drejected sum to 0, because the loss reads only the difference of the policy's two log-probabilities. Both
log-probabilities may therefore fall while the loss decreases.

Two forms of σ(-z) are safe. The form 1/(1 + e^z) is correct even if e^z overflows to inf. The form exp(-log(1 + e^z)),
computed with `np.logaddexp`, also avoids the overflow warning. Two other forms fail. At very negative z, e^-z/(1 +
e^-z) becomes inf/inf = NaN. At large z, 1 - σ(z) loses all digits of a small result.

Cost: a few operations per pair, and one saved number z per pair. The expensive part is computing the log-probabilities.
Policy and reference each run forward over both answers, and the policy also runs backward. The reference gets no
gradient, so its log-probabilities can be computed once, before training.

PyTorch: PyTorch has no DPO loss; write `-F.logsigmoid(z).mean()`. `LogSigmoidBackward0` saves z and, on the CPU, a
buffer of the same shape. `torch.log(torch.sigmoid(z))` is a trap. At z = -200 in float32 its value is -inf and its
gradient is NaN, whereas `logsigmoid` has the value -200 and the gradient 1.

Asked next:

- Training starts with the policy equal to the reference. What are the loss and the gradients in the first step? → The
  margin z is 0 for every pair, so the loss is log 2 = 0.693, and every gradient has the size g·beta/(2N). If the first
  loss differs, the setup has a bug, such as different dropout, a different mask or swapped models.
- The log-probabilities are sums over hundreds of tokens, and everything is in bfloat16. What goes wrong? → Between 256
  and 512, bfloat16 numbers are 2 apart, and z consists of differences of such sums. So z would be mostly rounding
  error. Sum and subtract in float32.
- A share ε < 1/2 of the preferences is labelled wrongly. How can the loss express this, and what does the gradient
  become? → Use -(1-ε) log σ(z) - ε log σ(-z), whose slope with respect to z is σ(z) - (1-ε). This slope is 0 at z =
  log((1-ε)/ε), so the margin of a pair stops growing at a finite value.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    (
        "The loss of a pair depends on one number, the margin z. What is the slope of -log σ(z)? With which sign "
        "does each input enter z?"
    ),
    "The slope is -σ(-z). Multiply this slope by beta, by 1/N and by g. The rejected answer gets the opposite sign.",
    "To compute σ(-z) without overflow, take the negative of `np.logaddexp` of 0 and the margin. Then apply `np.exp`.",
)
WRT = ("lp_chosen", "lp_rejected")
RESULTS = ("dchosen", "drejected")
PAIRS = "lp_chosen[N] lp_rejected[N] ref_chosen[N] ref_rejected[N]"


def spread(rng, shape, _):
    return rng.choice([-1.0, 1.0], shape) * rng.uniform(4, 22, shape)


def thousand(rng, shape, _):
    return rng.choice([-1.0, 1.0], shape) * rng.uniform(700, 1500, shape)


CASES = [
    given(PAIRS, beta=0.5, note="beta=0.5"),
    given(PAIRS, beta=0.1, note="beta=0.1"),
    given(PAIRS, beta=2.0, lp_chosen=thousand, smooth=False, note="margins beyond ±1000"),
    given(PAIRS, beta=1.0, lp_chosen=normal(2, 30), large=False, tail=True, note="margins near 30"),
    given(
        PAIRS,
        beta=1.0,
        lp_chosen=spread,
        lp_rejected=0.0,
        ref_chosen=0.0,
        ref_rejected=0.0,
        large=False,
        note="margins from 4 to 22",
    ),
    given(
        "lp_chosen[2] lp_rejected[2] ref_chosen[2] ref_rejected[2]",
        beta=0.5,
        lp_chosen=[-1.0, -3.0],
        lp_rejected=[-1.0, -4.0],
        ref_chosen=[-2.0, -1.0],
        ref_rejected=[-2.0, -2.0],
        note="margin 0",
    ),
]


def forward(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * ((lp_chosen - ref_chosen) - (lp_rejected - ref_rejected))
    return -engine.logsigmoid(z).mean()


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * ((lp_chosen - ref_chosen) - (lp_rejected - ref_rejected))
    push = np.exp(-np.logaddexp(0, z)) * (g * beta / len(z))
    return -push, push


def margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    return beta * ((lp_chosen - ref_chosen) - (lp_rejected - ref_rejected))


def sigmoid(z):
    return np.exp(-np.logaddexp(0, -z))


@mistake(
    "sigmoid-z",
    "a pair that is ranked better has a larger gradient",
    "Take a pair that is ranked clearly right, with z = 20. Should its gradient be large or near 0?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(z) * (g * beta / len(z))
    return -push, push


@mistake("no-beta", "beta matters only inside the sigmoid", "By how much does z move when lp_chosen moves by 1?")
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g / len(z))
    return -push, push


@mistake(
    "same-sign", "both answers are pushed in the same direction", "Which of the two answers must become less likely?"
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g * beta / len(z))
    return -push, -push


@mistake(
    "no-mean",
    "the loss is a sum over pairs",
    "If every pair is in the batch twice, should the gradient of a pair stay the same?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g * beta)
    return -push, push


@mistake(
    "signs-exchanged",
    "a gradient points in the direction in which the loss falls",
    "Descent subtracts the gradient. Does subtracting your gradient raise lp_chosen?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g * beta / len(z))
    return push, -push


@mistake(
    "no-reference",
    "the margin does not contain the reference model",
    "The reference gets no gradient. Is the reference missing from the margin too?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * (lp_chosen - lp_rejected)
    push = sigmoid(-z) * (g * beta / len(z))
    return -push, push


@mistake(
    "sigmoid-overflows",
    "e^-z / (1 + e^-z) is safe to compute",
    "At z = -1000, what are the numerator and the denominator?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    e = np.exp(-margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta))
    push = e / (1 + e) * (g * beta / len(e))
    return -push, push


@mistake(
    "one-minus-sigmoid",
    "1 - σ(z) is as accurate as σ(-z)",
    "At z = 40, what is σ(z) in floating point? What is 1 - σ(z) then?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = (1 - 1 / (1 + np.exp(-z))) * (g * beta / len(z))
    return -push, push


@mistake(
    "clipped",
    "clipping the margin only prevents an overflow",
    "If z = 1000 is clipped to 20, what does your code use for σ(-z), and what should it use?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-np.clip(z, -20, 20)) * (g * beta / len(z))
    return -push, push


@mistake(
    "slope-of-sigmoid",
    "the loss is -σ(z), without the logarithm",
    "Take a pair that is ranked clearly wrong, with z = -20. Should its gradient be large or near 0?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(z) * sigmoid(-z) * (g * beta / len(z))
    return -push, push


@mistake(
    "reference-added",
    "the log-probabilities of the reference enter z with the opposite sign",
    "The margin compares the policy with the reference. With which sign does `ref_chosen` enter z?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * ((lp_chosen + ref_chosen) - (lp_rejected + ref_rejected))
    push = sigmoid(-z) * (g * beta / len(z))
    return -push, push


@mistake(
    "clip-stops-gradient",
    "a margin beyond some bound needs no gradient",
    "The margin is -1000. Does the loss fall if lp_chosen rises?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = np.where(np.abs(z) < 100, sigmoid(-z), 0) * (g * beta / len(z))
    return -push, push


@mistake(
    "saturated-beyond-4",
    "beyond ±4 the sigmoid is exactly 0 or 1",
    "How far from 1 is σ(4.5)? Is that within rounding?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = np.where(np.abs(z) > 4, z < 0, sigmoid(-z)) * (g * beta / len(z))
    return -push, push
