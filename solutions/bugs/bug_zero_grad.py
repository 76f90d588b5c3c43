"""`.grad` accumulates by design: micro-batches and several losses rely on it. A loop that needs the gradient of one
sample must therefore clear `.grad` between a step and the next backward. The faulty loop never clears it, so its step t
uses the sum of the gradients of steps 1 to t.

On one repeated sample this is an undamped oscillator. Let e be the distance from the optimum and a = 2·lr·x²:

    e_{t+1} = (2 - a) e_t - e_{t-1}

From any e but 0, e oscillates without end for 0 < a < 4 and grows without bound for a > 4. The right loop has e_{t+1} =
(1 - a) e_t.

Clear `.grad` anywhere between a step and the next backward: first in the loop, or just after the step. Between backward
and step, clearing discards every gradient, and the weight never moves.

Cost: clearing writes each gradient once. That is cheap compared with the backward that computes it. The gradients take
as much memory as the parameters. If they are dropped instead of filled with zeros, this memory is free from the step to
the next backward.

PyTorch: `loss.backward()` adds into `.grad`; `torch.autograd.grad` returns gradients and leaves `.grad` alone.
`optimizer.zero_grad()` sets each `.grad` to None, unless it is called with `set_to_none=False`. `step` skips a
parameter whose gradient is None. If the gradient is all zeros, AdamW still moves the parameter, by momentum and weight
decay.

Asked next:

- When do you leave `.grad` uncleared between two backwards? → To add up micro-batches that do not fit into memory at
  once. If each loss is a mean over equally many samples, divide it by k, the number of micro-batches. If the counts
  differ, weight each loss by its share of the samples.
- What changes if you forget that division by k? → Plain SGD takes steps k times as long, and clipping by norm sets in
  sooner. AdamW hardly changes: it divides by the root of the second moment, so k cancels except for its ε.
- Would a test of one step have found this bug? → No. `.grad` starts empty, so the first step is right. Compare the
  weight after two steps, or the gradient used in the second, with numbers worked out by hand.
- `zero_grad` is called between `backward` and `step` under AdamW with weight decay. What happens? → By default nothing:
  every gradient is None, and every parameter is skipped. With `set_to_none=False` the weights only decay.
"""

from autodrill.drills import gradient, mistake, scenario

HINTS = (
    "Print the gradient used in step 2. Compute by hand what it should be.",
    "A framework's backward adds into `.grad`. Something must clear it between a step and the next backward.",
    "Add a line to the loop that sets `p.grad` to 0. It must not stand between `backward` and the step.",
)


@scenario(1, 2, 3, 5, note="random samples")
def samples(rng, size):
    data = [[float(x), float(y)] for x, y in rng.integers(1, 4, (size, 2))]
    return {"w": float(rng.integers(-2, 3)), "data": data, "lr": 0.05}


@scenario(50, note="one sample repeated 50 times")
def repeated(rng, size):
    return {"w": 0.0, "data": [[1.0, 2.0]] * size, "lr": 0.1}


CASES = [samples, repeated]
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
    "Which is the only wrong place for zero_grad?",
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
    "the gradients of all samples go into one step",
    "How many steps does stochastic gradient descent take for three samples?",
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
    "What is left of step 1 when step 2 begins? Which of the two numbers should start from 0?",
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
    "Step 3 belongs to sample 3. Which samples does your step use?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for n, (x, y) in enumerate(data, start=1):
        backward(p, x, y)
        p.data -= lr * p.grad / n
    return p.data
