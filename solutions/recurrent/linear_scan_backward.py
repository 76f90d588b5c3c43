"""The backward of a linear scan is again a linear scan. Let λ_t be the gradient of the loss with respect to h_t, along
all paths. The state h_t is used twice: it is an output, and it enters h_(t+1) with slope a_(t+1). So

    λ_T = g_T,    λ_t = g_t + a_(t+1) λ_(t+1)

This scan runs backwards in time, with the coefficients shifted by one step. λ gives all three results: db_t = λ_t, da_t
= λ_t · h_(t-1) and dh0 = a_1 λ_1. Here h_0 is h0.

If a_t is 0, no state and no gradient passes step t. If |a_t| > 1 at every step, λ grows backwards in time, just as the
states may grow forwards.

Cost: O(T·D) time and memory, like the forward. Backward takes two products and one sum per element, whereas the forward
takes one of each. The states must be saved, or recomputed from checkpoints. The steps compose associatively: the step
(a, b) after the step (a', b') is the step (a·a', a·b' + b). A scan can therefore run in O(log T) parallel steps,
forward *and* backward.

PyTorch: In a Python loop, each step records an `AddBackward0` and a `MulBackward0`, which saves a_t and h_(t-1).
Indexing `a[t]` inside the loop adds a `SelectBackward0` per step. Each `SelectBackward0` makes a T x D array of zeros
for its one row, which takes O(T²·D) in all. Calling `a.unbind(0)` before the loop records one node and takes O(T·D).
`torch._higher_order_ops.associative_scan` is a prototype. On the CPU, with `combine_mode="generic"`, it gives the same
gradients as the loop.

Asked next:

- How does the backward become a parallel scan? → Reverse time and combine the pairs (a_(t+1), g_t) by the same rule.
  a_(T+1) can be anything, because no step follows step T. The products for da are then elementwise.
- Could backward compute the states from h_(t-1) = (h_t - b_t)/a_t instead of saving them? → Not in general, because a_t
  may be 0. If |a_t| < 1, the division also amplifies the rounding error by 1/|a_t|. If every a_t is 1/2, the error
  grows by a factor of 2^T in total. Instead, save every √T-th state and rerun the steps between them. These checkpoints
  cost one more forward and O(√T·D) memory.
- With P = cumprod(a), h_t is P_t (h0 + Σ b_s/P_s), with the sum over s up to t. Why not compute h_t this way? → P
  underflows: 0.5^150 is 0 in float32, and b/P is then infinite or NaN. A single a_t of 0 has the same effect. The
  associative scan never divides.
- How can you test this backward without finite differences? → With a = 1 and h0 = 0 the scan is `np.cumsum(b, axis=0)`.
  So db_t is the sum of g from step t to the end. To compute db, reverse g, take the cumulative sum, and reverse the
  result.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, uniform

HINTS = (
    "Along which two paths does h_t reach the loss? Which of these paths passes through the next state?",
    "Carry λ from the last step to the first: λ_t = g_t + a_(t+1)·λ_(t+1). Then db_t = λ_t and da_t = λ_t·h_(t-1).",
    "Start db as a copy of g. Then go backwards: each row adds to the row before it. For da_1, the state is h0.",
)
EMPTY = True
CASES = [
    given("a[T,D] b[T,D] h0[D]", a=uniform(-1, 1), empty=False, large={"T": 3000, "D": 128}),
    given("a[60,D] b[60,D] h0[D]", a=uniform(0.9, 1.5), large=False, note="states that grow over 60 steps"),
    given("a[1,D] b[1,D] h0[D]", large=False, note="one step"),
    given("a[4,2] b[4,2] h0[2]", a=[[1, 0.5], [0.0, 1], [0.5, 0.0], [1, 2.0]], note="a_t of 0 and 1"),
]


def forward(a, b, h0):
    states = [h0]
    for t in range(len(a)):
        states.append(a[t] * states[-1] + b[t])
    return engine.stack(states[1:])


def saved(a, b, h0):
    return {"hs": forward(a, b, h0)}


def linear_scan_backward(g, a, b, h0, hs):
    db = g.copy()
    for t in reversed(range(1, len(db))):
        db[t - 1] += a[t] * db[t]
    before = np.concatenate([h0[None], hs[:-1]])
    dh0 = a[0] * db[0]
    return db * before, db, dh0


def scan(g, slopes):
    lam = np.zeros_like(g)
    carried = np.zeros_like(g[0])
    for t in reversed(range(len(g))):
        lam[t] = g[t] + carried
        carried = slopes[t] * lam[t]
    return lam, carried


@mistake(
    "forward-scan",
    "the gradient runs forwards in time, as the states do",
    "Which states does b_1 influence? Which entries of g must therefore reach db_1?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam = np.zeros_like(g)
    carried = np.zeros_like(h0)
    for t in range(len(a)):
        carried = lam[t] = a[t] * carried + g[t]
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, a[0] * lam[0]


@mistake(
    "off-by-one-a",
    "the coefficient a_t links h_t to h_(t+1)",
    "Which coefficient links h_(t-1) to h_t? Which coefficient does your code use there?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = scan(g, np.concatenate([a[:1], a[:-1]]))
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, carried


@mistake(
    "wrong-h",
    "a_t multiplies the state of its own step",
    "h_t = a_t · h_(t-1) + b_t: what is the derivative of h_t with respect to a_t?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = scan(g, a)
    return lam * hs, lam, carried


@mistake(
    "no-carry",
    "each state matters only as an output",
    "h_1 is an output. For what else does the forward use h_1?",
)
def linear_scan_backward(g, a, b, h0, hs):
    return g * np.concatenate([h0[None], hs[:-1]]), g.copy(), a[0] * g[0]


@mistake(
    "last-only",
    "only the last state feeds the loss",
    "Which rows of g does your code never read?",
)
def linear_scan_backward(g, a, b, h0, hs):
    last = np.zeros_like(g)
    last[-1] = g[-1]
    lam, carried = scan(last, a)
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, carried


@mistake(
    "h0-before-a",
    "h0 has the same gradient as the first state",
    "h_1 = a_1 · h_0 + b_1: what is the derivative of h_1 with respect to h_0?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, _ = scan(g, a)
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, lam[0].copy()


@mistake(
    "h0-forgotten",
    "the first step starts from the state 0, not from h0",
    "Which state does a_1 multiply?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = scan(g, a)
    return lam * np.concatenate([np.zeros_like(h0)[None], hs[:-1]]), lam, carried


@mistake(
    "first-state-for-h0",
    "the state before the first step is h_1",
    "hs[0] is the state after the first step. Which state did a_1 multiply?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = scan(g, a)
    return lam * np.concatenate([hs[:1], hs[:-1]]), lam, carried


@mistake(
    "left-in-reverse",
    "gradients collected from the last step to the first are already in the right order",
    "Which step does your loop visit first? In which row do you put the gradient of this step?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = scan(g, a)
    lam = lam[::-1].copy()
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, carried


@mistake(
    "sum-for-h0",
    "dh0 is the sum of the gradients of all b_t",
    "h0 enters only the first step. By which factor does this step multiply h0?",
)
def linear_scan_backward(g, a, b, h0, hs):
    db = g.copy()
    for t in reversed(range(1, len(db))):
        db[t - 1] += a[t] * db[t]
    return db * np.concatenate([h0[None], hs[:-1]]), db, db.sum(axis=0)


@mistake(
    "one-step-back",
    "the gradient of a state passes through one step only",
    "h_1 affects h_2, and h_2 affects h_3. Does g_3 reach h_1 in your code?",
)
def linear_scan_backward(g, a, b, h0, hs):
    db = g.copy()
    db[:-1] += a[1:] * g[1:]
    return db * np.concatenate([h0[None], hs[:-1]]), db, a[0] * db[0]


def by_products(g, products):
    sums = (g * products)[::-1].cumsum(axis=0)[::-1]
    return sums / products, sums[0]


@mistake(
    "divides-by-products",
    "the products a_1 ··· a_t are never 0",
    "Let a_2 be 0. What is a_1·a_2, and by what does your code divide?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = by_products(g, np.cumprod(a, axis=0))
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, carried


@mistake(
    "a-positive",
    "every a_t is positive",
    "Let a_1 be -0.5. What is its logarithm?",
)
def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = by_products(g, np.exp(np.log(a).cumsum(axis=0)))
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, carried
