"""`.grad` accumulates by design: micro-batches and several losses rely on it. So a loop that wants one sample's
gradient must clear the buffer between the previous step and the next backward. Here nothing does, and step t uses
the sum of the gradients of steps 1 to t. On one sample that is an undamped oscillator: with e the distance from the
optimum and a = 2·lr·x²,

    e_{t+1} = (2 - a) e_t - e_{t-1}

which from any e but 0 swings without end for 0 < a < 4 and grows beyond all bounds for a > 4. The right loop has
e_{t+1} = (1 - a) e_t.

Anywhere in that interval is right: first thing in the loop, or just after the step. Between backward and step is the
one fatal place: every gradient is thrown away and the weight never moves.

Cost: clearing writes each gradient once, little beside the backward that computes it. The buffers take as much memory
as the parameters, which is free from the step to the next backward if they are dropped instead of filled with zeros.

PyTorch: `loss.backward()` adds into `.grad`; `torch.autograd.grad` returns gradients and leaves `.grad` alone.
`optimizer.zero_grad()` sets each `.grad` to None unless told `set_to_none=False`. `step` skips a parameter whose
gradient is None, while at a gradient of zeros AdamW still moves it, by momentum and weight decay.

Asked next:

- When do you leave `.grad` as it is between two backwards? → To add up micro-batches that do not fit into memory at
  once. If each loss is a mean over equally many samples, divide it by the number of micro-batches, k; if the counts
  differ, weight each by its share.
- Someone forgets that division by k: who notices? → Plain SGD takes steps k times as long, and clipping by norm cuts in
  sooner. AdamW hardly notices, as it divides by the root of the second moment and k cancels but for its ε.
- Would a test of one step have found this bug? → No, as `.grad` starts out empty and the first step is right. Hold the
  weight after two steps, or the gradient used in the second, against numbers worked out by hand.
- `zero_grad` stands between `backward` and `step` under AdamW with weight decay: what happens? → By default nothing at
  all: every gradient is None and every parameter is skipped. With `set_to_none=False` the weights only decay.
"""

from autodrill.drills import gradient, mistake, scenario

HINTS = (
    "Print the gradient used in step 2 and compute by hand what it should be.",
    "A framework's backward adds into `.grad`. Something must clear it between one step and the next backward.",
    "One more line in the loop: `p.grad = 0.0`, before `backward` or after the step.",
)


@scenario(1, 2, 3, 5, note="random samples")
def samples(rng, size):
    data = [[float(x), float(y)] for x, y in rng.integers(1, 4, (size, 2))]
    return {"w": float(rng.integers(-2, 3)), "data": data, "lr": 0.05}


@scenario(50, note="one sample, 50 times")
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
    "Print the gradient of step 2. Whose gradients does it contain?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data


@mistake(
    "cleared-before-step",
    "the buffer may be cleared anywhere in the loop",
    "Where is the only wrong place for zero_grad?",
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
    "Stochastic descent: how many steps does the loop take for three samples?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        backward(p, x, y)
    p.data -= lr * p.grad
    return p.data


@mistake(
    "starts-again",
    "every sample starts from the first weight",
    "What becomes of the step of sample 1 when sample 2 arrives?",
)
def bug_zero_grad(w, data, lr):
    for x, y in data:
        p = Parameter(w)
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data


@mistake(
    "ascent",
    "the step follows the gradient",
    "The gradient points uphill. Which way does the loss fall?",
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
    "the step is the whole gradient",
    "Which argument of the function has become useless?",
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
    "What is left of step 1 when step 2 begins? Which of the two buffers should start from 0?",
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
    "dividing by the number of samples so far makes up for what has piled up",
    "Step 3 follows sample 3. Which samples does your step follow?",
)
def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for n, (x, y) in enumerate(data, start=1):
        backward(p, x, y)
        p.data -= lr * p.grad / n
    return p.data
