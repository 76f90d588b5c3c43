"""An LSTM uses the new cell state c2 twice, in h2 and in the next step. The gradient of c2 is therefore the sum of two
parts:

    dc2 = gc + gh · o · (1 - tanh²(c2))

Here i, f, o and u are the gates after their sigmoid or tanh. The other gradients follow from c2 = f·c + i·u and h2 =
o·tanh(c2). The gradient of each block of z contains the slope of that block's nonlinearity, written as a function of
the gate:

    dz_i = dc2 · u · i(1-i)        dz_o = gh · tanh(c2) · o(1-o)
    dz_f = dc2 · c · f(1-f)        dz_u = dc2 · i · (1-u²)
    dc   = dc2 · f

What remains is the matrix product z = [x, h] W. So dW = [x, h]ᵀ dz, and dz Wᵀ is split into dx and dh.

The line dc = dc2 · f is the purpose of an LSTM. Along the cell state, each step of the backward multiplies the gradient
elementwise by the forget gate alone, and forget gates can stay near 1. Along the paths through h, as in a plain RNN,
each step multiplies the gradient by a matrix and a slope. Gradients along these paths tend to vanish or explode.

Cost: two matrix products, whereas the forward has one. This solution also repeats the forward's product, because only
the inputs were saved. Saving the four gates and tanh(c2), 5·N·H numbers per step, avoids this repetition. The rest is
elementwise.

PyTorch: `LSTMCell` has the gates in the order i, f, g, o, and its g is called u here. It has separate weights for x and
h, and two biases. Both biases are only added, so their gradients are equal. On the CPU `LSTMCell` consists of plain
operations. Besides inputs and weights, these operations save exactly five arrays, the four gates and tanh(c2).
`nn.LSTM` can run the whole sequence as one node. This node is `MkldnnRnnLayerBackward0` in float32 on an x86 CPU, and
cuDNN's node on a GPU.

Asked next:

- Over T steps, which parts of this backward must run one after the other? → dh and dc must be computed step by step,
  because each step needs the dh and dc of the step after it. dW and dx can wait. If the dz of all steps are stacked, dW
  is one product over T·N rows instead of T small products. One large product suits a GPU better.
- The forget gate has saturated at 1. What does this do to the gradients? → dc equals dc2, so the cell state passes its
  whole gradient on. But f(1-f) is 0, so dz_f is 0, and the gate itself learns nothing from this step.
- The gates get a bias b. What is its gradient, and why is the forget gate's part of b often initialised to 1? → db is
  dz summed over the batch. With a bias of 1, f starts near 0.73 instead of 0.5. Ten steps then multiply the gradient
  along the cell by 0.04 instead of 0.001.
- The loss reads the h2 of each of T steps. What are gh and gc at the last step and at the step before it? → At the last
  step, gh is the loss's own gradient and gc is 0. At the step before it, gh is the loss's own gradient plus the dh of
  the last step, and gc is the dc of the last step.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "Run the forward again. Then start with c2. Along which paths does c2 reach the loss?",
    (
        "dc2 is gc plus the part that comes through h2. Each gate gets dc2 (or gh), times the factor that the gate "
        "multiplies, times the slope of its nonlinearity."
    ),
    "Use `np.hsplit(z, 4)`. Join the four blocks of dz in the same order, and split `dz @ W.T` after D columns.",
)
COTANGENTS = ("gh", "gc")
# A shape pattern cannot express W's D + H rows and 4·H columns, so these sizes are numbers.
EMPTY = True
CASES = [
    given("x[N,1] h[N,1] c[N,1] W[2,4]", large=False),
    given("x[N,2] h[N,3] c[N,3] W[5,12]", large={"N": 10000}),
    given("x[N,4] h[N,2] c[N,2] W[6,8]", large=False),
    given("x[N,2] h[N,3] c[N,3] W[5,12]", W=normal(5), large=False, note="saturated gates"),
    given("x[N,2] h[N,3] c[N,3] W[5,12]", c=normal(4), large=False, note="large cell states"),
    given(
        "x[1,1] h[1,2] c[1,2] W[3,8]",
        x=[[1.0]],
        h=[[0.5, -0.5]],
        c=[[2.0, -1.0]],
        W=[[1000.0, -1000.0, -1000.0, 1000.0, 1000.0, -1000.0, -1000.0, 1000.0], [1.0] * 8, [2.0] * 8],
        note="gates at 1000 and -1000",
    ),
]
MISTAKES = [
    edit(
        "tanh-slope-at-old-cell",
        "the slope of the outer tanh is taken at the old cell state",
        "h2 = o · tanh(c2). At which cell state must your code take the slope of tanh?",
        "o * (1 - t * t) -> o * (1 - np.tanh(c) ** 2)",
    ),
    edit(
        "output-gate-scales-old-cell",
        "the output gate multiplies the tanh of the old cell state",
        "h2 = o · tanh(c2). What is the derivative of h2 with respect to o?",
        "gh * t * o -> gh * np.tanh(c) * o",
    ),
]


def forward(x, h, c, W):
    i, f, o, u = engine.split(engine.concatenate([x, h], axis=1) @ W, 4, axis=1)
    c2 = engine.sigmoid(f) * c + engine.sigmoid(i) * engine.tanh(u)
    return engine.sigmoid(o) * engine.tanh(c2), c2


def sigmoid(z):
    return np.exp(-np.logaddexp(0, -z))


def lstm_step_backward(gh, gc, x, h, c, W):
    xh = np.hstack([x, h])
    i, f, o, u = np.hsplit(xh @ W, 4)
    i, f, o, u = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(u)
    t = np.tanh(f * c + i * u)
    dc2 = gc + gh * o * (1 - t * t)
    dz_i = dc2 * u * i * (1 - i)
    dz_f = dc2 * c * f * (1 - f)
    dz_o = gh * t * o * (1 - o)
    dz_u = dc2 * i * (1 - u * u)
    dz = np.hstack([dz_i, dz_f, dz_o, dz_u])
    _, inputs = x.shape
    dx, dh = np.hsplit(dz @ W.T, [inputs])
    return dx, dh, dc2 * f, xh.T @ dz


def gates(x, h, c, W):
    i, f, o, u = np.hsplit(np.hstack([x, h]) @ W, 4)
    i, f, o, u = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(u)
    return i, f, o, u, f * c + i * u


def gradients(dc, x, h, W, *dz):
    dz = np.hstack(dz)
    dx, dh = np.hsplit(dz @ W.T, [x.shape[1]])
    return dx, dh, dc, np.hstack([x, h]).T @ dz


@mistake(
    "ignores-gc",
    "c2 affects the loss only through h2",
    "c2 has two consumers. Which of the two incoming gradients does your code never use?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "ignores-path-through-h",
    "the gradient of c2 comes only from the next step",
    "h2 = o · tanh(c2): when c2 moves, does the loss change through h2?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    dz = gc * u * i * (1 - i), gc * c * f * (1 - f), gh * np.tanh(c2) * o * (1 - o), gc * i * (1 - u * u)
    return gradients(gc * f, x, h, W, *dz)


@mistake(
    "forget-gate-uses-new-c",
    "the forget gate multiplies the new cell state",
    "c2 = f·c + i·u: what is the derivative of c2 with respect to f?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c2 * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "output-gate-no-tanh",
    "the output gate multiplies the cell state itself",
    "h2 = o · tanh(c2): what is the derivative of h2 with respect to o?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * c2 * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "no-gate-slopes",
    "the gates have no sigmoid or tanh",
    "Each block of z went through a sigmoid or a tanh. Where does your code use the slopes of these functions?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    return gradients(d * f, x, h, W, d * u, d * c, gh * t, d * i)


@mistake(
    "candidate-as-sigmoid",
    "all four blocks went through a sigmoid",
    "Which nonlinearity did u go through, and what is its slope at 0?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * u * (1 - u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "torch-order",
    "the blocks are in PyTorch's order: i, f, candidate, o",
    "Read the task again: in which order are the four blocks?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, u, o = np.hsplit(np.hstack([x, h]) @ W, 4)
    i, f, o, u = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(u)
    t = np.tanh(f * c + i * u)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), d * i * (1 - u * u), gh * t * o * (1 - o)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "joined-in-torch-order",
    "the gradients of the blocks are joined in PyTorch's order: i, f, candidate, o",
    "In which order did you split z? In which order do you join its gradients?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), d * i * (1 - u * u), gh * t * o * (1 - o)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "no-tanh-slope",
    "the derivative of h2 with respect to c2 is o",
    "h2 = o · tanh(c2): which function is applied to c2?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "dc-without-forget-gate",
    "the gradient passes from c2 to c unchanged",
    "c2 = f·c + i·u: what is the derivative of c2 with respect to c?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d, x, h, W, *dz)


@mistake(
    "output-gate-in-the-cell",
    "all four gates get their gradient from c2",
    "Which formula contains the output gate: the formula of c2 or the formula of h2?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), d * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "partners-exchanged",
    "the input gate scales the old cell, and the forget gate scales the candidate",
    "c2 = f·c + i·u: which factor does f multiply, and which factor does i multiply?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * c * i * (1 - i), d * u * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "tanh-of-old-cell",
    "h2 is computed from the old cell state",
    "To which of the two cell states does h2 apply tanh?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, _ = gates(x, h, c, W)
    t = np.tanh(c)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "cell-for-its-tanh",
    "the slope of tanh at c2 is 1 - c2²",
    "1 - t² is the slope of tanh if t is the output of tanh. Which value is squared in your code?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    d = gc + gh * o * (1 - c2 * c2)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * np.tanh(c2) * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "dc-through-input-gate",
    "c passes through the input gate",
    "c2 = f · c + i · u: which gate multiplies c?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * i, x, h, W, *dz)


@mistake(
    "gc-through-tanh",
    "gc passes through the tanh of c2",
    "c2 is returned as it is. Which of its two gradients comes back through tanh?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = (gc + gh * o) * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "gc-to-c",
    "gc also reaches c directly",
    "The gradient of c2 contains gc. Does any part of gc reach c without passing the forget gate?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f + gc, x, h, W, *dz)


@mistake(
    "no-input-gate-slope",
    "the input gate equals its block of z, without a sigmoid",
    "A gate is the sigmoid of its block of z. Which factor turns the gate's gradient into the gradient of this block?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u, d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "no-forget-gate-slope",
    "the forget gate equals its block of z, without a sigmoid",
    "A gate is the sigmoid of its block of z. Which factor turns the gate's gradient into the gradient of this block?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c, gh * t * o * (1 - o), d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "no-output-gate-slope",
    "the output gate equals its block of z, without a sigmoid",
    "A gate is the sigmoid of its block of z. Which factor turns the gate's gradient into the gradient of this block?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t, d * i * (1 - u * u)
    return gradients(d * f, x, h, W, *dz)


@mistake(
    "no-candidate-slope",
    "the candidate equals its block of z, without a tanh",
    "The candidate is tanh of its block of z. Which factor turns the candidate's gradient into the block's gradient?",
)
def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u, c2 = gates(x, h, c, W)
    t = np.tanh(c2)
    d = gc + gh * o * (1 - t * t)
    dz = d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i
    return gradients(d * f, x, h, W, *dz)
