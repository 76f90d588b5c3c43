"""`.grad` accumulates by design: micro-batches and several losses rely on the accumulation. A loop that needs the
gradient of one sample must therefore clear `.grad` between a step and the next backward. The faulty loop never clears
`.grad`, so its step t uses the sum of the gradients of steps 1 to t.

On one repeated sample the faulty loop is an undamped oscillator. Let e_t be the distance from the optimum after t
steps, and let a = 2·lr·x²:

    e_{t+1} = (2 - a) e_t - e_{t-1}

Unless e_t starts at 0, it oscillates without end for 0 < a < 4 and grows without bound for a > 4. In the right loop,
e_{t+1} = (1 - a) e_t.

Clear `.grad` anywhere between a step and the next backward: at the start of the loop, or just after the step. Clearing
between backward and the step discards every gradient, and the weight never moves.

Cost: clearing writes each gradient once. Clearing is cheap compared with the backward that computes the gradient. The
gradients take as much memory as the parameters. If the gradients are dropped instead of filled with zeros, this memory
is free from the step to the next backward.

PyTorch: `loss.backward()` adds into `.grad`; `torch.autograd.grad` returns gradients and does not change `.grad`.
`optimizer.zero_grad()` sets each `.grad` to None, unless it is called with `set_to_none=False`. `step` skips a
parameter whose gradient is None. If the gradient is all zeros, AdamW still moves the parameter, by momentum and weight
decay.

Asked next:

- When should `.grad` keep its value from one backward to the next? → When you add up the gradients of micro-batches
  that do not fit into memory at once. If each loss is a mean over equally many samples, divide each loss by k, the
  number of micro-batches. If the counts differ, weight each loss by its share of the samples.
- What changes if you forget to divide the losses of k micro-batches by k? → Plain SGD takes steps k times as long, and
  clipping by norm takes effect sooner. AdamW hardly changes: it divides by the root of the second moment, so k cancels,
  up to the effect of ε.
- Would a test of one step have found this bug? → No. `.grad` starts empty, so the first step is right. Compare the
  weight after two steps, or the gradient used in the second step, with numbers worked out by hand.
- `zero_grad` is called between `backward` and `step` under AdamW with weight decay. What happens? → By default
  `zero_grad` sets every gradient to None, so the step skips every parameter. With `set_to_none=False` the weights only
  decay.
"""

from autodrill.drills import gradient, mistake, scenario

HINTS = (
    "Print the gradient used in step 2. Compute by hand what that gradient should be.",
    "A framework's backward adds into `.grad`. The loop must clear `.grad` between a step and the next backward.",
    "Add a line to the loop that sets `p.grad` to 0. This line must not stand between `backward` and the step.",
)


@scenario(1, 2, 3, 5, note="random samples")
def samples(rng, size):
    data = [[float(x), float(y)] for x, y in rng.integers(1, 4, (size, 2))]
    return {"w": float(rng.integers(-2, 3)), "data": data, "lr": 0.05}


@scenario(50, note="one sample repeated 50 times")
def repeated(rng, size):
    return {"w": 0.0, "data": [[1.0, 2.0]] * size, "lr": 0.1}


@scenario(3, note="a sample that the weight fits exactly")
def fitted(rng, size):
    return {"w": 2.0, "data": [[1.0, 2.0], [2.0, 1.0], [1.0, 4.0]], "lr": 0.05}


@scenario(3, note="a sample with x = 0")
def no_input(rng, size):
    return {"w": 2.0, "data": [[2.0, 1.0], [0.0, 3.0], [1.0, 4.0]], "lr": 0.05}


CASES = [samples, repeated, fitted, no_input]
RESULTS = ("w",)


def expected(w, data, lr):
    for x, y in data:
        (slope,) = gradient(lambda w, x=x, y=y: (w * x - y) ** 2, w)
        w = w - lr * slope
    return {"w": w}


class Parameter:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0


def backward(p, x, y):
    """What loss.backward() does for the loss (w·x - y)²."""
    p.grad += 2 * (p.data * x - y) * x


def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.grad = 0.0
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data


@mistake(
    "never-cleared",
    "each backward starts from an empty `.grad`",
    "Print the gradient of step 2. Which samples does it contain?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data


@mistake(
    "cleared-before-step",
    "`.grad` may be cleared anywhere in the loop",
    "Where in the loop does clearing `.grad` discard a gradient that the step still needs?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        backward(p, x, y)
        p.grad = 0.0
        p.data -= lr * p.grad
    return p.data


@mistake(
    "one-step",
    "the gradient of every sample is computed at the first weight",
    "Which weight does `backward` use for sample 2, and which weight should it use?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        backward(p, x, y)
    p.data -= lr * p.grad
    return p.data


@mistake(
    "starts-again",
    "every sample starts from the initial weight",
    "What happens to the step of sample 1 when sample 2 arrives?",
)
def bug_zero_grad(w, data, lr):
    for x, y in data:
        p = Parameter(w)
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data


@mistake(
    "ascent",
    "the step goes in the direction of the gradient",
    "The gradient points uphill. In which direction does the loss fall?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.grad = 0.0
        backward(p, x, y)
        p.data += lr * p.grad
    return p.data


@mistake(
    "no-rate",
    "the step is the gradient itself",
    "Which argument of the function is never used?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.grad = 0.0
        backward(p, x, y)
        p.data -= p.grad
    return p.data


@mistake(
    "weight-cleared",
    "zero_grad clears the parameter",
    "What is left of step 1 when step 2 begins? Which should start from 0, the weight or its gradient?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.data = 0.0
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data


@mistake(
    "mean-of-all",
    "dividing by the number of samples so far undoes the accumulation",
    "Step 3 belongs to sample 3. Which samples does your step 3 use?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for n, (x, y) in enumerate(data, start=1):
        backward(p, x, y)
        p.data -= lr * p.grad / n
    return p.data


@mistake(
    "mean-in-one-step",
    "the pass takes one step, along the mean of the samples' gradients at the first weight",
    "How many steps does stochastic gradient descent take for three samples?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        backward(p, x, y)
    p.data -= lr * p.grad / max(1, len(data))
    return p.data


@mistake(
    "half-a-slope",
    "the loss has a factor of 1/2",
    "The loss is (w·x - y)². What is its slope, and may the repair change it?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.grad = 0.0
        backward(p, x, y)
        p.data -= lr * p.grad / 2
    return p.data


@mistake(
    "mean-over-data",
    "the loss is a mean over the samples",
    "Each step uses one sample. By which number does the task divide its gradient?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.grad = 0.0
        backward(p, x, y)
        p.data -= lr * p.grad / max(1, len(data))
    return p.data


@mistake(
    "falling-rate",
    "the steps must become shorter from sample to sample",
    "The steps were wrong, not too long. Does the task change `lr` during the pass?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for n, (x, y) in enumerate(data, start=1):
        p.grad = 0.0
        backward(p, x, y)
        p.data -= lr / n * p.grad
    return p.data


@mistake(
    "cleared-once",
    "it is enough to clear the gradient once, after the first step",
    "Print the gradient of step 3. Which samples does it contain?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for n, (x, y) in enumerate(data):
        if n == 1:
            p.grad = 0.0
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data


@mistake(
    "step-before-backward",
    "the step comes before the backward of its sample",
    "Which gradient does your first step use? Which step uses the gradient of the last sample?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.data -= lr * p.grad
        p.grad = 0.0
        backward(p, x, y)
    return p.data


@mistake(
    "stops-at-a-zero",
    "a gradient of 0 on one sample means that the pass is finished",
    "The weight fits the first sample exactly. What do the other samples say about the weight?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.grad = 0.0
        backward(p, x, y)
        if p.grad == 0:
            break
        p.data -= lr * p.grad
    return p.data


@mistake(
    "stops-when-small",
    "a small gradient means that the weight has converged",
    "Does the task stop before the end of `data`? How far do the steps after your stop still move the weight?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        p.grad = 0.0
        backward(p, x, y)
        if abs(p.grad) < 1e-3:
            break
        p.data -= lr * p.grad
    return p.data
