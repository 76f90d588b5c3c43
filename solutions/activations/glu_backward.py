"""Let s = σ(b). The output is a product, so its derivative with respect to the value is s. Its derivative with respect
to the gate is a · σ'(b), with σ'(b) = s(1 - s):

    da = g · s        db = g · a · s · (1 - s)

dx holds da and db in the order of the halves of x. Each element of out depends on one element of a and on the element
of b at the same place, so there is no sum.

For a fixed gate the output is linear in a. A fully open gate therefore passes the gradient of the value unchanged,
however large a is. With tanh(a) in place of a, the slope 1 - tanh² would make that gradient small for large a. The gate
does saturate: for b far from 0, db is nearly 0.

exp(-b) overflows to infinity for b far below 0. 1/(1 + exp(-b)) is then 0, as it should be, but NumPy warns of the
overflow. tanh never overflows, and σ(b) = (1 + tanh(b/2))/2.

Cost: one tanh and eight other operations per element of out, and a copy of both halves into one array. The forward
takes one tanh and four other operations. Only x is saved, and x is twice as large as out.

PyTorch: `GluBackward0` saves x and the axis, and computes the sigmoid again. Its result is one array too. A single
matrix product usually computes both halves, so the backward of that product needs da and db in one array.

Asked next:

- Megatron-LM computes SwiGLU from one array of two halves. Which half goes through SiLU? → The first half. In `F.glu`
  the second half goes through the sigmoid. To move a checkpoint from one convention to the other, exchange the halves
  of the weight.
- How does db simplify if `out` was saved too? → a · s is out, so db = g · out · (1 - s).
- A gate is closed, with b far below 0. What are da and db? → Both are nearly 0, because both contain the factor s. The
  unit then gets almost no gradient, like a ReLU with a negative input.
- What changes for SwiGLU, a · silu(b)? → da = g · silu(b), and db = g · a · s · (1 + b(1 - s)).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "The output is a product. What is its derivative with respect to a, and with respect to b?",
    (
        "da is g times the gate. db is g times a times the slope of the sigmoid. dx holds both in the order of the "
        "halves of x."
    ),
    "Split x, and compute `s`, the sigmoid of b. Join `g * s` and `g * a * ...` along the last axis.",
)
SATURATED = [[1000.0, -1000.0, 1000.0, 1000.0, 1000.0, -1000.0]]
GATES = (4.5, -4.5, 7.0, -7.0, 12.0, -12.0, 20.0, -20.0)
CASES = [
    given("x[n,4]"),
    given("x[k,n,6]", large=False),
    given("x[n,2]", large=False, note="halves of one element"),
    given("x[8]", large=False, note="one axis"),
    given("x[4,4]", large=False, note="square"),
    given("x[1,6]", x=SATURATED, smooth=False, large=False, note="values of ±1000"),
    given("x[1,16]", x=[[1.0, -2.0, 3.0, -1.0, 2.0, 1.5, -3.0, 0.5, *GATES]], large=False, note="gates from 4 to 20"),
]
MISTAKES = [
    edit(
        "halves-swapped",
        "the gradient of the gate comes first",
        "Which half of x is the value? Where in dx does the gradient of the value belong?",
        "(da, db) -> (db, da)",
    ),
    edit(
        "gate-no-a",
        "the derivative of the output with respect to b is σ'(b)",
        "What multiplies σ(b) in the forward?",
        "db = g * a * s -> db = g * s",
    ),
    edit(
        "value-only",
        "the gate is a constant",
        "Does `out` change if b changes?",
        "db = ... -> db = 0 * g",
    ),
    edit(
        "gate-first",
        "the first half is the gate",
        "Read the task again: which half goes through the sigmoid?",
        "a, b = -> b, a =",
        "(da, db) -> (db, da)",
    ),
    edit(
        "value-not-gated",
        "the value reaches the output unchanged",
        "By how much does `out` move when a moves by 1 and the gate is 0.5?",
        "da = g * s -> da = g + 0 * s",
    ),
    edit(
        "no-sigmoid-slope",
        "the slope of the sigmoid is 1",
        "Which function of b multiplies a? What is the slope of this function at b = 0?",
        "db = g * a * s * (1 - s) -> db = g * a",
    ),
    edit(
        "no-complement",
        "the slope of σ is σ",
        "Far to the right σ is constant. What is its slope there?",
        "g * a * s * (1 - s) -> g * a * s",
    ),
    edit(
        "rule-on-output",
        "the rule s(1 - s) may be applied to the whole output",
        "Of which function is s(1 - s) the slope? Is the output a value of this function?",
        "s * (1 - s) -> s * (1 - a * s)",
    ),
    edit(
        "swiglu",
        "the gate is silu(b), as in SwiGLU",
        "Which function of b multiplies a in the task?",
        "da = g * s -> da = g * b * s",
        "s * (1 - s) -> s * (1 + b * (1 - s))",
    ),
    edit(
        "naive-exp",
        "exp(b) is finite for every b",
        "What is exp(1000) in floating point? What is infinity divided by infinity?",
        "s = ... -> s = np.exp(b) / (1 + np.exp(b))",
    ),
    edit(
        "stacked",
        "the two gradients are stacked along a new axis",
        "Which shape does x have, and which shape does your dx have?",
        "np.concatenate((da, db), axis=-1) -> np.stack((da, db), axis=-1)",
    ),
    edit(
        "slope-of-tanh",
        "the slope of the sigmoid is 1 - s², as for tanh",
        "At b = 0 the gate is 0.5. Is its slope there 0.25 or 0.75?",
        "g * a * s * (1 - s) -> g * a * (1 - s * s)",
    ),
    edit(
        "axis-1",
        "the last axis is axis 1",
        "x has shape (2, 3, 6). Along which axis are the halves, and which number has this axis?",
        "a, b = np.split(x, 2, axis=-1) -> h = x.shape[1] // 2\n    a, b = x[:, :h], x[:, h:]",
        "(da, db), axis=-1) -> (da, db), axis=1)",
    ),
    edit(
        "first-axis",
        "the halves are along the first axis",
        "g has shape (n, 2) and x has shape (n, 4). Along which axis was x halved?",
        "a, b = np.split(x, 2, axis=-1) -> h = len(x) // 2\n    a, b = x[:h], x[h:]",
        "(da, db), axis=-1) -> (da, db), axis=0)",
    ),
    edit(
        "clipped",
        "beyond 15 the sigmoid is 0 or 1",
        "σ(-15) is 3e-7. What must da be at b = -1000, and what is it after your clip?",
        "s = ... -> s = (1 + np.tanh(np.clip(b, -15, 15) / 2)) / 2",
    ),
    edit(
        "clipped-at-20",
        "beyond 20 the sigmoid is 0 or 1",
        "σ(-20) is 2e-9. What must da be at b = -1000, and what is it after your clip?",
        "s = ... -> s = (1 + np.tanh(np.clip(b, -20, 20) / 2)) / 2",
    ),
    edit(
        "saturated-beyond-4",
        "beyond ±4 the gate is exactly 0 or 1",
        "How far from 1 is σ(4.5)? Is that within rounding?",
        "s = ... -> s = (1 + np.tanh(b / 2)) / 2\n    s = np.where(np.abs(b) > 4, b > 0, s).astype(x.dtype)",
    ),
]


def forward(x):
    return engine.glu(x, axis=-1)


def glu_backward(g, x):
    a, b = np.split(x, 2, axis=-1)
    s = (1 + np.tanh(b / 2)) / 2
    da = g * s
    db = g * a * s * (1 - s)
    return np.concatenate((da, db), axis=-1)


@mistake(
    "interleaved",
    "values and gates alternate in x",
    "In an x of four elements, which element gates the first one?",
)
def glu_backward(g, x):
    a, s = x[..., ::2], (1 + np.tanh(x[..., 1::2] / 2)) / 2
    return np.stack((g * s, g * a * s * (1 - s)), axis=-1).reshape(x.shape)


@mistake("two-results", "value and gate are two inputs", "How many arrays did the forward take?")
def glu_backward(g, x):
    a, b = np.split(x, 2, axis=-1)
    s = (1 + np.tanh(b / 2)) / 2
    return g * s, g * a * s * (1 - s)
