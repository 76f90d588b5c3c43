"""Unroll the average: m_t = (1-b1) Σ_i b1^(t-i) g_i. Its weights sum to 1 - b1^t, not to 1, because the average started
at 0; dividing by that sum makes it a weighted mean of the gradients seen. The same holds for v. Without it the first
step would have m = 0.1 g and √v = 0.03 |g| at the usual rates, a step about three times too large.

The first step is then nearly lr·sign(g), whatever the scale of g, as long as |g| is far above eps: Adam's steps have a
size of their own. `eps` makes them smaller where gradients are tiny. Added to the root it has the scale of a gradient;
inside, it would count as √eps.

The W: with the decay inside the gradient (Adam with L2), wd·p too is divided by √v, so parameters with large gradients
decay *less*. Decoupled, all shrink by the same share. (Kingma and Ba, 2015; Loshchilov and Hutter, 2019.)

Cost: elementwise, some fifteen operations a parameter, so memory traffic is what counts: in one pass p, g, m and v are
read and p, m and v written, 28 bytes a parameter in float32. Two numbers of state a parameter, m and v: with p and g
that makes 16 bytes.

PyTorch: `torch.optim.AdamW` takes the same step in the same order, decay first, but in place; its state is `exp_avg`,
`exp_avg_sq` and a `step` for each parameter tensor, and its `weight_decay` is 0.01 unless told otherwise. A parameter
whose `.grad` is None is passed over, decay and all; with a gradient of zeros it decays, and moves on by what m
remembers. `fused=True` asks for the single pass.

Asked next:

- Somebody multiplies the loss by 1000. What happens to the training? → From the first step on, m and √v are both 1000
  times as large, so the steps are the same where |g| is far above eps; clipping by norm does notice. Done half way, m
  catches up in tens of steps and v in thousands, and meanwhile the steps are too large.
- One row of an embedding is in no sample of the batch. Does it move? → Yes: its gradient is a row of zeros, so it
  decays by lr·wd and drifts along its old m. `torch.optim.SparseAdam` updates the rows that have gradients, and no
  others.
- Parameters and state are bfloat16, lr is 1e-3, a parameter is 1. What does a step of size lr do to it? → Nothing:
  below 1 the numbers of bfloat16 are 1/256 apart, so 1 - 0.001 rounds back to 1, every time. Keep a float32 copy of
  the parameters for the step, or round stochastically.
- After thousands of gradients of 0 comes one that is not. How large is the step, in units of lr? → (1-b1)/√(1-b2), 3.2
  at the usual rates: m takes up a tenth of it, √v a thirtieth. A lower b2 makes that smaller. It is no upper bound:
  gradients that grow by b2/b1 from step to step end at a step of 7.3.
"""

import numpy as np

from autodrill.drills import mistake, scenario

HINTS = (
    "m and v started at 0. After t steps with a constant gradient, what is m, and what should the average be?",
    "Update both averages; divide them by 1 - b1**t and 1 - b2**t for this step only; decay p by its own share.",
    "Four assignments and a return: m, v, p times (1 minus something), p minus lr times a quotient.",
)


@scenario(1, 2, 4, 12, note="a few steps")
def few_steps(rng, size):
    return {"p": rng.normal(size=2), "grads": rng.normal(size=(size, 2)), **rates(rng, eps=1e-8)}


@scenario(1, 3, note="tiny gradients")
def tiny_gradients(rng, size):
    return {"p": rng.normal(size=2), "grads": rng.normal(size=(size, 2)) * 1e-5, **rates(rng, eps=1e-5)}


@scenario(2, note="no gradient at all")
def no_gradient(rng, size):
    return {"p": rng.normal(size=2), "grads": np.zeros((size, 2)), **rates(rng, eps=1e-8)}


@scenario(1, 2, 3, note="two parameters in turn")
def in_turn(rng, size):
    p, q = rng.normal(size=(2, 2, 2))
    grads, others = rng.normal(size=(2, size, 2, 2)) * np.array([1.0, 10.0])[:, None, None, None]
    return {"p": p, "grads": grads, "q": q, "others": others, **rates(rng, eps=1e-8)}


def rates(rng, eps):
    """What rates may be, and no two of them related."""
    lows, highs = {"lr": 0.02, "b1": 0.6, "b2": 0.8, "wd": 0.1}, {"lr": 0.3, "b1": 0.95, "b2": 0.99, "wd": 0.9}
    return {name: round(float(rng.uniform(lows[name], highs[name])), 3) for name in lows} | {"eps": eps}


CASES = [few_steps, tiny_gradients, no_gradient, in_turn]
RESULTS = ("p", "m", "v")


def expected(p, grads, lr, b1, b2, eps, wd, q=None, others=None):
    """The averages in closed form, as weighted sums of all gradients so far, not step by step."""
    if q is not None:
        p, grads = np.append(p, q), np.stack([grads, others], axis=1).reshape(len(grads), -1)

    def averages(t):
        ages = np.arange(t)[::-1, None]
        return (b1**ages * grads[:t]).sum(axis=0), (b2**ages * grads[:t] ** 2).sum(axis=0), ages

    for t in range(1, len(grads) + 1):
        first, second, ages = averages(t)
        mean, square = first / (b1**ages).sum(), second / (b2**ages).sum()
        p = p - lr * (wd * p + mean / (np.sqrt(square) + eps))
    return {"p": p, "m": (1 - b1) * first, "v": (1 - b2) * second}


def drive(candidate, p, grads, lr, b1, b2, eps, wd, q=None, others=None):
    states = [(a.copy(), 0 * a, 0 * a) for a in (p, q) if a is not None]
    for t in range(1, len(grads) + 1):
        for i, gradients in enumerate((grads, others)[: len(states)]):
            p, m, v = states[i]
            answer = candidate(p, gradients[t - 1].copy(), m, v, t, lr, b1, b2, eps, wd)
            if not (isinstance(answer, tuple | list) and len(answer) == 3):
                return answer
            states[i] = answer
    if len(states) == 2:
        states = [[np.append(*both) for both in zip(*states)]]
    ((p, m, v),) = states
    return {"p": p, "m": m, "v": v}


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    p = p * (1 - lr * wd)
    p = p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return p, m, v


@mistake(
    "l2-in-gradient",
    "weight decay is a gradient of a squared norm, as with plain descent",
    "Two parameters of equal size, one with large gradients: should it shrink less than the other? Does it with yours?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    g = g + wd * p
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "no-bias-correction",
    "a running average may be used from the first step",
    "m was 0. After one step with gradient 1, what is it, and what is the average of the gradients seen?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * m / (np.sqrt(v) + eps), m, v


@mistake(
    "eps-inside-root",
    "eps guards the root",
    "With eps = 1e-8 inside the root and no gradient, by what do you divide? And what does the task ask for?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / np.sqrt(v / (1 - b2**t) + eps), m, v


@mistake(
    "off-by-one-t",
    "steps are counted from 0",
    "After the first step m is (1 - b1)·g. By what must it be divided to give g, and what is t then?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    p = p * (1 - lr * wd)
    return p - lr * (m / (1 - b1 ** (t + 1))) / (np.sqrt(v / (1 - b2 ** (t + 1))) + eps), m, v


@mistake(
    "state-of-its-own",
    "the averages may be kept between two calls",
    "A model has two parameters, and they are stepped in turn. Whose averages are yours at the second call?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd, kept={}):
    if t == 1:
        kept["m"], kept["v"] = 0 * p, 0 * p
    kept["m"] = b1 * kept["m"] + (1 - b1) * g
    kept["v"] = b2 * kept["v"] + (1 - b2) * g * g
    m, v = kept["m"], kept["v"]
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "lr-for-one-minus-b1",
    "an average moves towards the gradient by the learning rate",
    "By which share does a running average of decay b1 move towards what is new? What has lr to do with it?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = m + lr * (g - m)
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "usual-rates",
    "b1 is 0.9",
    "Call your function with b1 = 0.5. Does the result differ?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = 0.9 * m + 0.1 * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake("no-decay", "AdamW is Adam", "Which argument of your function do you never use?")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake("decay-without-lr", "wd is the share itself", "By which share does p shrink in a step? Read the task again.")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "keeps-corrected",
    "the corrected averages are the state",
    "If m is divided by 1 - b1**t at every step and kept, how often has the first gradient been corrected at step 4?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = (b1 * m + (1 - b1) * g) / (1 - b1**t)
    v = (b2 * v + (1 - b2) * g * g) / (1 - b2**t)
    return p * (1 - lr * wd) - lr * m / (np.sqrt(v) + eps), m, v


@mistake("no-root", "the step is divided by v itself", "Which units has v, and which has m?")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (v / (1 - b2**t) + eps), m, v


@mistake("ascent", "the step follows the gradient", "The gradient points uphill. Which way does the loss fall?")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) + lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "v-of-gradients", "v averages the gradients, as m does", "Which of the two averages can never be negative, and why?"
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * np.abs(g)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "decay-last", "the decay may come after the step", "Which p shrinks by lr * wd: that before the step, or after?"
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return (p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)) * (1 - lr * wd), m, v


@mistake(
    "old-averages",
    "the step is taken with the averages as they were before this gradient",
    "At the first step the old m is 0. Where does p go then?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    step = lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return p * (1 - lr * wd) - step, b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g


@mistake(
    "one-correction",
    "only the first average started at 0",
    "v started at 0 as well. After one step with gradient 1, what is it?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v) + eps), m, v


@mistake(
    "eps-before-correction",
    "both corrections may be drawn together into the learning rate",
    "Which root does the task add eps to: that of v, or that of the corrected v?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    rate = lr * np.sqrt(1 - b2**t) / (1 - b1**t)
    return p * (1 - lr * wd) - rate * m / (np.sqrt(v) + eps), m, v


@mistake(
    "no-weight-for-the-new",
    "an average weighs what it had and takes the new in full",
    "Let every gradient be 1. To what does m tend, and to what must an average of ones tend?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + g
    v = b2 * v + g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v
