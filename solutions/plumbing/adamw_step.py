"""Adam's running average of the gradients is m_t = (1-b1) Σ_i b1^(t-i) g_i. Its weights sum to 1 - b1^t, not to 1,
because the average started at 0. The bias correction divides m by this sum. The quotient is a weighted mean of the
gradients so far. The same holds for v. Without the correction, at the usual decay rates, the first step would have m =
0.1 g and √v = 0.03 |g|. This step would be about three times too large.

With the correction, the first step is nearly lr·sign(g), whatever the scale of g, as long as |g| is far above eps.
Adam's step size does not follow the size of the gradients. `eps` makes the steps smaller if gradients are tiny. Outside
the root, eps is on the scale of the gradients. Inside the root, eps would act like √eps outside the root.

The W in AdamW stands for decoupled weight decay. If the decay is part of the gradient (Adam with L2), wd·p is also
divided by √v, so parameters with large gradients decay *less*. With decoupled decay, all parameters shrink by the same
share. (Kingma and Ba, 2015; Loshchilov and Hutter, 2019.)

Cost: about fifteen elementwise operations per parameter, so memory traffic dominates. A single pass reads p, g, m and v
and writes p, m and v. These are 28 bytes per parameter in float32. The state is two numbers per parameter, m and v.
Together, p, g, m and v take 16 bytes.

PyTorch: `torch.optim.AdamW` takes the same step in the same order, decay first, but in place. Its state is `exp_avg`,
`exp_avg_sq` and a `step` for each parameter tensor. Its default `weight_decay` is 0.01. `AdamW` skips a parameter whose
`.grad` is None, so this parameter does not decay either. A parameter with a gradient of zeros still decays and still
moves along its m. The option `fused=True` requests a single pass.

Asked next:

- The loss is multiplied by 1000. What happens to the training? → If the factor is there from the first step on, m and
  √v are both 1000 times as large. The steps stay the same if |g| is far above eps; only clipping by norm behaves
  differently. If the factor appears in the middle of training, m adapts within tens of steps and v within thousands.
  Until v has adapted, the steps are too large.
- No sample of the batch uses a certain row of an embedding. Does this row move? → Yes. The gradient of this row is
  zero, so the row decays by the share lr·wd and drifts along its old m. `torch.optim.SparseAdam` updates only the rows
  that have gradients.
- Parameters and state are bfloat16, lr is 1e-3, and a parameter is 1. What does a step of size lr do to this parameter?
  → The step does nothing. Below 1, bfloat16 numbers are 1/256 apart, so 1 - 0.001 rounds back to 1 every time. Keep a
  float32 copy of the parameters for the step, or round stochastically.
- After thousands of gradients of 0, one gradient is not 0. How large is its step in units of lr? → The step is
  (1-b1)/√(1-b2), which is 3.2 at the usual decay rates. Here m becomes a tenth of the gradient, and √v a thirtieth. A
  lower b2 makes the step smaller. The value 3.2 is not an upper bound. If gradients grow by the factor b2/b1 from step
  to step, the step approaches 7.3.
"""

import numpy as np

from autodrill.drills import mistake, scenario

HINTS = (
    "m and v started at 0. After t steps with a constant gradient, what is m, and what should the average be?",
    "Update both averages. For this step only, divide m by 1 - b1**t and v by 1 - b2**t. Let p decay separately.",
    "Write four assignments: update m, update v, multiply p by a factor below 1, and subtract lr times a quotient.",
)


@scenario(1, 2, 4, 12, note="a few steps")
def few_steps(rng, size):
    return {"p": rng.normal(size=2), "grads": rng.normal(size=(size, 2)), **rates(rng, eps=1e-8)}


@scenario(1, 3, note="tiny gradients")
def tiny_gradients(rng, size):
    return {"p": rng.normal(size=2), "grads": rng.normal(size=(size, 2)) * 1e-5, **rates(rng, eps=1e-5)}


@scenario(2, note="gradients of 0")
def no_gradient(rng, size):
    return {"p": rng.normal(size=2), "grads": np.zeros((size, 2)), **rates(rng, eps=1e-8)}


@scenario(3, note="gradients of 0 after the first step")
def then_no_gradient(rng, size):
    grads = rng.normal(size=(size, 2))
    grads[1:2] = 0
    return {"p": rng.normal(size=2), "grads": grads, **rates(rng, eps=1e-8)}


@scenario(1, 2, 3, note="two parameters in turn")
def in_turn(rng, size):
    p, q = rng.normal(size=(2, 2, 2))
    grads, others = rng.normal(size=(2, size, 2, 2)) * np.array([1.0, 10.0])[:, None, None, None]
    return {"p": p, "grads": grads, "q": q, "others": others, **rates(rng, eps=1e-8)}


def rates(rng, eps):
    """Draw each rate from its own range, so that no two of them are related."""
    lows, highs = {"lr": 0.02, "b1": 0.6, "b2": 0.8, "wd": 0.1}, {"lr": 0.3, "b1": 0.95, "b2": 0.99, "wd": 0.9}
    return {name: round(float(rng.uniform(lows[name], highs[name])), 3) for name in lows} | {"eps": eps}


CASES = [few_steps, tiny_gradients, no_gradient, then_no_gradient, in_turn]
RESULTS = ("p", "m", "v")


def expected(p, grads, lr, b1, b2, eps, wd, q=None, others=None):
    """Compute the averages in closed form, as weighted sums of all gradients so far, not step by step."""
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
            answer = candidate(p, gradients[t - 1], m, v, t, lr, b1, b2, eps, wd)
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
    "weight decay is added to the gradient, as in plain gradient descent",
    "Of two equal parameters, one has large gradients. Should that parameter shrink less, as in your code?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    g = g + wd * p
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "no-bias-correction",
    "a running average needs no correction in the first steps",
    "m was 0. After one step with gradient 1, what is m, and what is the average of the gradients seen?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * m / (np.sqrt(v) + eps), m, v


@mistake(
    "eps-inside-root",
    "eps is added under the root",
    "If eps = 1e-8 is inside the root and all gradients are 0, by what do you divide? By what does the task divide?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / np.sqrt(v / (1 - b2**t) + eps), m, v


@mistake(
    "off-by-one-t",
    "steps are counted from 0",
    "After the first step m is (1 - b1)·g. By what must you divide m to get g? What is t in this step?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    p = p * (1 - lr * wd)
    return p - lr * (m / (1 - b1 ** (t + 1))) / (np.sqrt(v / (1 - b2 ** (t + 1))) + eps), m, v


@mistake(
    "state-of-its-own",
    "the function may keep the averages between two calls",
    "Your function is called for two parameters in turn. Whose averages does your code hold at the second call?",
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
    "the average moves a fraction lr of the way towards the gradient",
    "By which share does a running average of decay b1 move towards a new value? Does this share depend on lr?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = m + lr * (g - m)
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "usual-rates",
    "b1 is always 0.9",
    "Call your function with b1 = 0.5. Does the result differ?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = 0.9 * m + 0.1 * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake("no-decay", "AdamW has no weight decay", "Which argument does your function never use?")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "decay-without-lr", "p shrinks by the share wd", "By which share does p shrink in a step? Read the task again."
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "keeps-corrected",
    "the corrected averages are the state",
    "Your code stores m divided by 1 - b1**t. After four steps, how many times was the first gradient corrected?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = (b1 * m + (1 - b1) * g) / (1 - b1**t)
    v = (b2 * v + (1 - b2) * g * g) / (1 - b2**t)
    return p * (1 - lr * wd) - lr * m / (np.sqrt(v) + eps), m, v


@mistake("no-root", "the step is divided by v itself", "What units does v have, and what units does m have?")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (v / (1 - b2**t) + eps), m, v


@mistake(
    "ascent",
    "the step goes in the direction of the gradient",
    "The gradient points uphill. Which way does the loss fall?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) + lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "v-of-gradients",
    "v averages the absolute values of the gradients",
    "Which quantity does v average, according to the task?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * np.abs(g)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "decay-last",
    "the decay comes after the step",
    "Does the task shrink p before or after it subtracts the step?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return (p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)) * (1 - lr * wd), m, v


@mistake(
    "old-averages",
    "the step uses the averages from before this gradient",
    "At the first step the old m is 0. How far does the gradient move p then?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    step = lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return p * (1 - lr * wd) - step, b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g


@mistake(
    "one-correction",
    "only m started at 0",
    "v started at 0 as well. After one step with gradient 1, what is v?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v) + eps), m, v


@mistake(
    "eps-before-correction",
    "both corrections can be merged into the learning rate",
    "To which root does the task add eps: to the root of v or to the root of the corrected v?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    rate = lr * np.sqrt(1 - b2**t) / (1 - b1**t)
    return p * (1 - lr * wd) - rate * m / (np.sqrt(v) + eps), m, v


@mistake(
    "no-weight-for-the-new",
    "a running average adds each new value with weight 1",
    "Let every gradient be 1. What does m tend to, and what must an average of ones tend to?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + g
    v = b2 * v + g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake("always-the-first-step", "every step is the first one", "Which argument does your correction never use?")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1)) / (np.sqrt(v / (1 - b2)) + eps), m, v


@mistake(
    "rates-exchanged",
    "m is corrected with b2 and v with b1",
    "Which decay rate does the update of m use? Which rate must the correction of m use?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b2**t)) / (np.sqrt(v / (1 - b1**t)) + eps), m, v


@mistake(
    "correction-multiplied",
    "the correction makes the averages smaller",
    "After one step m is (1 - b1) g. What must the corrected m be?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * m * (1 - b1**t) / (np.sqrt(v * (1 - b2**t)) + eps), m, v


@mistake("decay-grows", "weight decay makes p larger", "With g = 0, must the step shrink p or enlarge it?")
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 + lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "decay-in-numerator",
    "the weight decay is divided by the root as well",
    "Two equal parameters have different v. By which fraction does the decay shrink each of them in your code?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * (m / (1 - b1**t) + wd * p) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "eps-as-bound",
    "eps is a lower bound of the denominator",
    "The root and eps are both 1e-5. Which denominator does your code have, and which does the task have?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / np.maximum(np.sqrt(v / (1 - b2**t)), eps), m, v


@mistake(
    "weights-exchanged",
    "a decay rate is the weight of the new value",
    "The rate b1 is near 1. Should m follow each new gradient at once, or change slowly?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = (1 - b1) * m + b1 * g
    v = (1 - b2) * v + b2 * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "correction-after-root",
    "the root of v is corrected, not v itself",
    "Which number must be divided by 1 - b2**t: v or its root?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v) / (1 - b2**t) + eps), m, v


@mistake(
    "variance",
    "v averages the squared distance of the gradient from m",
    "Which squares does v average, according to the task?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * (g - m) ** 2
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "only-v-corrected",
    "only v started at 0",
    "m started at 0 as well. After one step with gradient 1, what is m?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * m / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "one-step-behind",
    "the corrections use the number of earlier steps",
    "After the second step, m contains two gradients. What are their weights, and what is t?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    t = max(t - 1, 1)
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "t-times-rate",
    "the weights of t steps add up to 1 - b1·t",
    "Expand m after three steps with gradient 1. Which power of b1 must be subtracted from 1 to give m?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    with np.errstate(invalid="ignore"):
        return p * (1 - lr * wd) - lr * (m / (1 - b1 * t)) / (np.sqrt(v / (1 - b2 * t)) + eps), m, v


@mistake(
    "zero-gradient-skipped",
    "a step with a gradient of 0 changes nothing",
    "g is 0 in the second step, and m is not. Which of p, m and v change?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    if not g.any():
        return p, m, v
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


@mistake(
    "decay-only-for-zero-gradient",
    "a step with a gradient of 0 only shrinks p",
    "g is 0 in the second step, and m is not. What is the new m, and does it move p?",
)
def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    p = p * (1 - lr * wd)
    if not g.any():
        return p, m, v
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v
