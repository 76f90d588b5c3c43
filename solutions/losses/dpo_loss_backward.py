"""The loss is logistic regression on one number a pair, the margin z. Its slope:

    d/dz [-log σ(z)] = -σ'(z)/σ(z) = -(1 - σ(z)) = -σ(-z)

and z has slope beta in lp_chosen and -beta in lp_rejected. With the mean:

    dchosen = -g · beta/N · σ(-z),    drejected = -dchosen

σ(-z) is how wrong the pair is ranked: a pair that is clearly right (z ≫ 0) hardly pushes at all, one that is clearly
wrong pushes with nearly the full g·beta/N, and none with more. The two gradients cancel: the loss sees the difference
of the two log-probabilities, so both may fall together while it goes down.

Compute σ(-z) as 1/(1 + e^z), which an overflow to inf takes to the right 0, or without a warning as
exp(-log(1 + e^z)), by `np.logaddexp`. At very negative z, e^-z/(1 + e^-z) becomes inf/inf = NaN; at large z, 1 - σ(z)
loses all digits of a small result. (Rafailov et al., 2023.)

Cost: a few operations a pair, and one number a pair to keep, z. What is expensive is where the log-probabilities come
from: policy and reference each run forward over both answers, and the policy backward too. The reference gets no
gradient, so its log-probabilities can be computed once, before training.

PyTorch: it has no such loss; one writes `-F.logsigmoid(z).mean()`. `LogSigmoidBackward0` keeps z and, on the CPU, a
buffer of the same shape. `torch.log(torch.sigmoid(z))` is the trap: at z = -200 in float32 it is -inf with a NaN for a
gradient, where `logsigmoid` gives -200 and 1.

Asked next:

- Training starts with the policy equal to the reference. What are loss and gradient in the first step? → z is 0 for
  every pair, so the loss is log 2 = 0.693 and each pair pushes with g·beta/(2N). A first loss that is something else
  shows a fault before any training: different dropout, a different mask, exchanged models.
- The log-probabilities are sums over hundreds of tokens, and all is in bfloat16. What goes wrong? → Between 256 and
  512 the numbers of bfloat16 are 2 apart, and z is made of differences of such sums: it would be mostly rounding. Sum
  and subtract in float32.
- A share ε < 1/2 of the preferences is wrong. How can the loss say so, and what does the gradient become? → As -(1-ε)
  log σ(z) - ε log σ(-z), whose slope in z is σ(z) - (1-ε). It is 0 at z = log((1-ε)/ε), so a pair stops pushing at a
  finite margin instead of pushing for ever.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "The loss of a pair depends on one number, the margin z. What is the slope of -log σ(z), and what has z's sign?",
    "That slope is -σ(-z): times beta, times 1/N, times g; and the rejected answer has it with the other sign.",
    "σ(-z) that cannot overflow: `np.exp` of minus a `np.logaddexp` of 0 and the margin.",
)
WRT = ("lp_chosen", "lp_rejected")
RESULTS = ("dchosen", "drejected")
PAIRS = "lp_chosen[N] lp_rejected[N] ref_chosen[N] ref_rejected[N]"
CASES = [
    given(PAIRS, beta=0.5, empty=False, note="beta=0.5"),
    given(PAIRS, beta=0.1, empty=False, note="beta=0.1"),
    given(PAIRS, beta=2.0, lp_chosen=normal(1000), smooth=False, empty=False, note="margins of ±1000"),
    given(PAIRS, beta=1.0, lp_chosen=normal(2, 30), empty=False, large=False, tail=True, note="margins near 30"),
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
    "a pair pushes by how well it is ranked",
    "A pair that is ranked clearly right, z = 20: should it push hard or hardly at all?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(z) * (g * beta / len(z))
    return -push, push


@mistake("no-beta", "beta only shapes the sigmoid", "By how much does z move when lp_chosen moves by 1?")
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g / len(z))
    return -push, push


@mistake("same-sign", "both answers are pushed the same way", "Which of the two must become less likely?")
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g * beta / len(z))
    return -push, -push


@mistake("no-mean", "the loss is a sum over pairs", "Put every pair in twice: should its gradient stay the same?")
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g * beta)
    return -push, push


@mistake(
    "signs-exchanged",
    "a gradient points to where the loss falls",
    "Descent subtracts the gradient: does lp_chosen rise with yours?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-z) * (g * beta / len(z))
    return push, -push


@mistake(
    "no-reference",
    "the reference model is frozen, so it does not matter",
    "It gets no gradient. Is it missing from the margin, too?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * (lp_chosen - lp_rejected)
    push = sigmoid(-z) * (g * beta / len(z))
    return -push, push


@mistake(
    "sigmoid-overflows",
    "e^-z / (1 + e^-z) is safe to compute",
    "Put z = -1000 in: what are numerator and denominator?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    e = np.exp(-margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta))
    push = e / (1 + e) * (g * beta / len(e))
    return -push, push


@mistake(
    "one-minus-sigmoid",
    "1 - σ(z) is as good as σ(-z)",
    "At z = 40, what is σ(z) in floating point? And 1 minus it?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = (1 - 1 / (1 + np.exp(-z))) * (g * beta / len(z))
    return -push, push


@mistake(
    "clipped",
    "clipping the margin only prevents an overflow",
    "With z = -1000 clipped to -20, what is σ(-z)? And what should it be?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(-np.clip(z, -20, 20)) * (g * beta / len(z))
    return -push, push


@mistake(
    "slope-of-sigmoid",
    "the loss is -σ(z), without the logarithm",
    "A pair ranked clearly wrong, z = -20: should it push hard or hardly at all? And does it with yours?",
)
def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = margin(lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)
    push = sigmoid(z) * sigmoid(-z) * (g * beta / len(z))
    return -push, push
