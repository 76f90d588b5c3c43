"""The Jacobian J times the j-th unit vector is column j of J. The i-th unit vector times J is row i of J. So a pass in
forward mode gives one column, and there is one column for each input. A pass in reverse mode gives one row, and there
is one row for each output. Use forward mode if n_in < n_out and reverse mode otherwise. The chosen mode takes min(n_in,
n_out) passes.

A loss has one output and a million inputs, so reverse mode needs one pass. Training therefore uses backpropagation. A
curve has one input and many outputs, so forward mode needs one pass. If n_in = n_out, both modes take the same number
of passes, and this exercise accepts either. In practice forward mode is then the better choice, because it keeps no
tape.

Cost: min(n_in, n_out) passes, each of about one evaluation, and n_in·n_out numbers for J. Reverse mode also keeps the
tape of one evaluation until the last row is done.

PyTorch: `torch.func.jacfwd` uses forward mode and `jacrev` uses reverse mode, as in JAX; neither chooses the mode for
you. Both run their passes as one batch under `vmap`, so memory grows with the number of passes. `jacrev(f,
chunk_size=...)` limits this memory. `torch.autograd.functional.jacobian` goes through the outputs one by one, unless
called with `vectorize=True`. Its option `strategy="forward-mode"` requires `vectorize=True`.

Asked next:

- J is tridiagonal. How many passes do you need? → Three passes are enough for any size. No two of the columns j, j + 3,
  j + 6, ... have a nonzero entry in the same row, so one JVP along the sum of their unit vectors gives all their
  nonzero entries. For another known pattern, colour the columns. Two columns with a nonzero entry in the same row need
  different colours. Then take one pass for each colour.
- You want the Jacobian of each of N samples in a batch. Does it take N·n_out passes? → No, n_out passes are enough if
  each output depends only on its own sample. A cotangent with the i-th unit vector at every sample gives row i for all
  samples. Batch normalisation in training couples the samples, so this method fails.
- In which mode do you compute the Hessian of a loss? → The Hessian is the Jacobian of the gradient. The gradient has as
  many outputs as inputs, so both modes take the same number of passes. Forward over reverse avoids a second tape:
  `jacfwd(jacrev(f))`, which is `torch.func.hessian`.
- A function has a thousand inputs, a thousand outputs, and a layer of 2 units in between. Are 1,000 passes the
  minimum? → No. J = J₂ J₁, with 2 rows in J₁ and 2 columns in J₂. Two VJPs of the first part, two JVPs of the second
  and one matrix product are enough. Finding the best order in a general graph is NP-complete (Naumann, 2008).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import ask, gradient, mistake, scenario

HINTS = (
    "What does `jvp` return if v is a unit vector? What does `vjp` return if u is a unit vector?",
    "One JVP gives one column of J, and one VJP gives one row. Does J have fewer columns or fewer rows?",
    (
        "Compute one product for each row of an identity matrix. A JVP gives a column of J, so stack on axis 1. A VJP "
        "gives a row, so stack on axis 0."
    ),
)
RESULTS = ("J", "asked")


@scenario(2, note="more outputs than inputs")
def tall(rng, size):
    return {"n_in": size, "n_out": size + 8, "seed": int(rng.integers(1000))}


@scenario(2, note="more inputs than outputs")
def wide(rng, size):
    return {"n_in": size + 8, "n_out": size, "seed": int(rng.integers(1000))}


@scenario(1, 3, note="as many inputs as outputs")
def square(rng, size):
    return {"n_in": size, "n_out": size, "seed": int(rng.integers(1000))}


@scenario(3, note="one more input than outputs")
def nearly_square(rng, size):
    return {"n_in": size + 1, "n_out": size, "seed": int(rng.integers(1000))}


@scenario(3, note="one more output than inputs")
def nearly_square_and_tall(rng, size):
    return {"n_in": size, "n_out": size + 1, "seed": int(rng.integers(1000))}


CASES = [tall, wide, square, nearly_square, nearly_square_and_tall]
EQUIVALENT = {
    "comparison: if n_in < n_out: -> if n_in <= n_out:": "for equal counts both modes take equally many passes",
    "constant: np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1) -> ...": "axis 1 of a matrix is its last axis",
}


def layers(n_in, n_out, seed):
    rng = np.random.default_rng(int(seed))
    return rng.normal(size=(3, n_in)), rng.normal(size=(n_out, 3)) / 3, rng.normal(size=n_in)


# The candidate's process holds no coefficient of the function. Each product is computed here, and counted.
def answer(asked, n_in, n_out, seed):
    A, B, x = layers(n_in, n_out, seed)
    slope = 1 - np.tanh(A @ x) ** 2
    match asked:
        case ["jvp", np.ndarray(dtype=np.float64, shape=(n,)) as v] if n == n_in:
            return B @ (slope * (A @ v))
        case ["vjp", np.ndarray(dtype=np.float64, shape=(n,)) as u] if n == n_out:
            return ((u @ B) * slope) @ A
    return None


def drive(candidate, n_in, n_out):
    def jvp(v):
        np.zeros(n_in) @ v  # raises if v is not a vector of that length
        return ask(["jvp", np.array(v, float)])

    def vjp(u):
        u @ np.zeros(n_out)
        return ask(["vjp", np.array(u, float)])

    return {"J": candidate(jvp, vjp, n_in, n_out)}


def expected(n_in, n_out, seed):
    A, B, x = layers(n_in, n_out, seed)
    J = np.stack([gradient(lambda x, row=row: (row * engine.tanh(engine.matvec(A, x))).sum(), x)[0] for row in B])
    return {"J": J, "asked": min(n_in, n_out)}


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in < n_out:
        return np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)
    return np.stack([vjp(unit) for unit in np.eye(n_out)])


@mistake(
    "always-reverse",
    "reverse mode is always cheaper",
    "With 10 outputs and 2 inputs, how many passes do you take? How many does the other mode take?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    return np.stack([vjp(unit) for unit in np.eye(n_out)])


@mistake(
    "always-forward",
    "forward mode is always cheaper",
    "How many passes does forward mode take for a loss of a million weights?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    return np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)


@mistake(
    "transposed",
    "the products are rows of J in both modes",
    "Is the JVP of the j-th unit vector a row of J or a column?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in < n_out:
        return np.stack([jvp(unit) for unit in np.eye(n_in)])
    return np.stack([vjp(unit) for unit in np.eye(n_out)], axis=1)


@mistake(
    "the-other-mode",
    "the mode that takes more passes is cheaper",
    "How many entries of J does one call return? So how many calls does each mode take?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in > n_out:
        return np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)
    return np.stack([vjp(unit) for unit in np.eye(n_out)])


@mistake(
    "both-modes",
    "computing J in both modes and returning one result is allowed",
    "How many passes does one call of your function take? How many results does it throw away?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    columns = np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)
    rows = np.stack([vjp(unit) for unit in np.eye(n_out)])
    return columns if n_in < n_out else rows


@mistake(
    "tries-first",
    "a trial pass costs nothing",
    "Count the passes of one call. Which of these passes gives neither a row nor a column?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    jvp(np.zeros(n_in))
    if n_in < n_out:
        return np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)
    return np.stack([vjp(unit) for unit in np.eye(n_out)])


@mistake(
    "all-ones",
    "one product with a vector of ones gives every column",
    "A pass with ones returns a sum of columns or rows. Can you recover the terms from the sum?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in < n_out:
        return np.stack([jvp(np.ones(n_in))] * n_in, axis=1)
    return np.stack([vjp(np.ones(n_out))] * n_out)


@mistake(
    "vjp-costs-more",
    "a VJP costs more than a JVP",
    "What does the task say about the cost of a call? How many calls does each mode take?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in <= 2 * n_out:
        return np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)
    return np.stack([vjp(unit) for unit in np.eye(n_out)])


@mistake(
    "jvp-costs-more",
    "a JVP costs more than a VJP",
    "What does the task say about the cost of a call? How many calls does each mode take?",
)
def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if 2 * n_in <= n_out:
        return np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)
    return np.stack([vjp(unit) for unit in np.eye(n_out)])
