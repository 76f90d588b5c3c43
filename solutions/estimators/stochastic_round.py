"""Let y = x/step, and let f = y - floor(y) be its fractional part, with 0 ≤ f < 1. Rounding down gives floor(y), and
rounding up gives floor(y) + 1. If P is the probability of rounding up, the mean is floor(y) + P. This mean must be y,
so P = f.

The event u < f has the probability f if u is uniform in [0, 1). If x is a multiple of the step, f is 0, and u < 0 never
holds. With the comparison u ≤ f, such an x would be rounded up at u = 0. A rule that gives the same probability is
floor(y + u), which rounds up if u ≥ 1 - f.

floor rounds towards -∞ for negative x too: -1.3 lies between -2 and -1. Truncation rounds towards 0 instead, and f is
then negative.

Cost: a division, a floor, a subtraction, a comparison, an addition and a product per element, and one random number. A
straight-through backward reads no saved array.

PyTorch: PyTorch 2.13 has no public operation for stochastic rounding. `torch.round` rounds to nearest, and it rounds a
half to the even neighbour. So it maps 0.5, 1.5 and 2.5 to 0, 2 and 2. The library torchao offers optimizers that round
bfloat16 weights stochastically after each step, so they need no float32 copy of the weights.

Asked next:

- A weight is 1, the step is 0.01, and 100 updates of 0.001 follow. Where does the weight end with each kind of
  rounding? → Rounded to nearest, the weight stays at 1, because each update is a tenth of a step. Rounded
  stochastically, the weight moves by a whole step with the probability 0.1 at each update. After 100 updates its mean
  is 1.1, with a standard deviation of 0.03.
- What is the variance of one result? → step² · f(1 - f), which is largest in the middle of a step and 0 on a multiple.
  Rounding to nearest has no variance, but its error of up to half a step repeats every time.
- How do you round float32 to bfloat16 stochastically with integer operations? → bfloat16 keeps the upper 16 bits. Add a
  uniform 16-bit integer to the bits of the float32 number, then clear the lower 16 bits. The bits hold the magnitude,
  so the rule is the same for negative numbers.
- What is the backward of stochastic rounding as a layer? → The backward is the straight-through estimator, dx = g. For
  a fixed u the true derivative is 0 almost everywhere. The mean over u is x, so its derivative is 1.
"""

import numpy as np

from autodrill.drills import edit, mistake, scenario

HINTS = (
    "x lies between two multiples of the step. With which probability must it go up, so that the mean is x?",
    "The probability of going up is the fractional part of x/step. Compare u with it.",
    "Let `lower = np.floor(x / step)`. Add 1 where `u < ...`, then return to the scale of x.",
)
RESULTS = ("mean", "smallest", "largest", "the number of results that follow the u of another element")
# No fractional part of a case is an odd multiple of 1/400, so the comparison of u with it is never a tie.
EVEN = (np.arange(200) + 0.5) / 200


def seed(rng):
    """Return the seed of the order of u. A candidate that knew it could compute the order, and ignore u."""
    return int(rng.integers(1 << 40))


@scenario(1, 2, 5, note="any numbers")
def any_numbers(rng, size):
    return {
        "x": rng.uniform(0.1, 4, size) * rng.choice([-1, 1], size),
        "u": EVEN,
        "step": float(rng.uniform(0.3, 3)),
        "seed": seed(rng),
    }


@scenario(2, note="a matrix")
def matrix(rng, size):
    return {"x": rng.normal(size=(size, 3)), "u": EVEN, "step": 0.25, "seed": seed(rng)}


@scenario(1, note="chosen points")
def chosen(rng, size):
    return {
        "x": np.array([0.125, -0.125, 1.3, -1.3, 7.9, -7.9, 0.01, -0.01]),
        "u": EVEN,
        "step": 0.5,
        "seed": seed(rng),
    }


@scenario(1, note="multiples of the step")
def multiples(rng, size):
    return {
        "x": 0.5 * np.array([0.0, 1, -1, 2, -3, 40]),
        "u": np.array([0.0, 0.25, 0.5, 0.999]),
        "step": 0.5,
        "seed": seed(rng),
    }


@scenario(1, note="100,000 steps from 0")
def far(rng, size):
    return {
        "x": 0.5 * np.array([1e5 + 0.25, -1e5 - 0.25, 1e5 + 0.9, 3e5 - 0.5]),
        "u": EVEN,
        "step": 0.5,
        "seed": seed(rng),
    }


CASES = [any_numbers, matrix, chosen, multiples, far]


def drive(candidate, x, u, step, seed):
    repeated = np.repeat(x[None], len(u), axis=0)
    rng, by_u = np.random.default_rng(seed), []
    for _ in range(2):
        # Each element gets all values of u, in an order of its own. Only its own u may determine its result.
        each = rng.permuted(np.broadcast_to(u.reshape(-1, *(1 for _ in x.shape)), repeated.shape), axis=0)
        order = each.argsort(axis=0)
        answer = candidate(repeated, each, step)
        if np.shape(answer) != repeated.shape:
            return dict.fromkeys(RESULTS, answer)
        out = np.asarray(answer)
        by_u.append(np.take_along_axis(out, order, axis=0))
    # Half of the elements alone: a rank among all u of an element would be another one there.
    half = np.asarray(candidate(repeated[::2].copy(), each[::2].copy(), step))
    moved = int((by_u[0] != by_u[1]).sum())
    moved += repeated[::2].size if half.shape != out[::2].shape else int((half != out[::2]).sum())
    return dict(zip(RESULTS, (out.mean(axis=0), out.min(axis=0), out.max(axis=0), moved), strict=True))


def expected(x, u, step, seed):
    """Count how many of the evenly spaced u round up. Ties do not occur, except at f = 0, where the count is 0."""
    lower = np.floor(x / step)
    f = x / step - lower
    up = (np.arange(len(u)).reshape(-1, *(1 for _ in x.shape)) + 0.5 < f * len(u)).sum(axis=0)
    smallest = (lower + (up == len(u))) * step
    largest = (lower + (up > 0)) * step
    return dict(zip(RESULTS, ((lower + up / len(u)) * step, smallest, largest, 0), strict=True))


def stochastic_round(x, u, step):
    y = x / step
    lower = np.floor(y)
    return (lower + (u < y - lower)) * step


MISTAKES = [
    edit(
        "truncates",
        "truncation rounds down for negative numbers too",
        "Between which two multiples of 1 does -1.3 lie, and what does `np.trunc` give?",
        "np.floor(y) -> np.trunc(y)",
    ),
    edit(
        "wrong-side",
        "a number rounds up if u is above its fractional part",
        "x is just above a multiple of the step. For which fraction of the values of u should x be rounded up?",
        "u < y -> u > y",
    ),
    edit(
        "grid-points-move",
        "u < f and u <= f are the same for the fractional part f",
        "x is a multiple of the step and u is 0. Which of the two comparisons rounds up?",
        "u < y -> u <= y",
    ),
    edit(
        "adds-and-rounds",
        "rounding x/step + u to nearest is right on average",
        "Which values does round(x/step + u) take for x = 0, and what is their mean?",
        "return ... -> return np.round(y + u) * step",
    ),
    edit(
        "nearest",
        "the result is the nearest multiple",
        (
            "A weight of 1 gets updates of 0.001, and the step is 0.01. Where does your rounding leave the weight "
            "after 100 updates?"
        ),
        "return ... -> return np.round(y) * step",
    ),
    edit(
        "always-half",
        "up and down are equally likely",
        "x is just above a multiple of the step. For which fraction of the values of u should x be rounded up?",
        "u < y - lower -> u < 0.5",
    ),
    edit(
        "fraction-of-x",
        "the fractional part is measured in units of x",
        "u is between 0 and 1. In which range is your threshold if the step is 0.25?",
        "u < y - lower -> u < x - lower * step",
    ),
    edit(
        "one-u-for-all",
        "one random number is enough for a whole row",
        "Two elements of a row are close to a half. Can one of them round up while the other rounds down?",
        "u < y -> u.reshape(len(u), -1)[:, :1].reshape(-1, *(1 for _ in u.shape[1:])) < y",
    ),
    edit(
        "no-scale",
        "the result counts steps",
        "x = 7.9 and step = 0.5. What does your code return, and between which multiples does x lie?",
        "(lower + (u < y - lower)) * step -> lower + (u < y - lower)",
    ),
    edit(
        "half-rounds-up",
        "`np.rint` rounds every half up",
        "x/step is 3 and u is 0. What is the argument of `np.rint`, and what does `np.rint` return for it?",
        "return ... -> return np.rint(y + u - 0.5) * step",
    ),
    edit(
        "half-rounds-down",
        "`np.rint` rounds every half down",
        "x/step is 3 and u is 0. What is the argument of `np.rint`, and what does `np.rint` return for it?",
        "return ... -> return np.rint(y + 0.5 - u) * step",
    ),
    edit(
        "ceil-less-one",
        "ceil(z) - 1 is floor(z)",
        "x/step is 3 and u is 0. What are floor(3) and ceil(3) - 1?",
        "return ... -> return (np.ceil(y + u) - 1) * step",
    ),
    edit(
        "snaps",
        "a quotient that is nearly whole counts as whole",
        "The quotient is 100000.25. What does `np.isclose` say of it and of 100000?",
        "return ... -> return np.where(np.isclose(y, np.round(y)), np.round(y), lower + (u < y - lower)) * step",
    ),
]


@mistake(
    "adds-noise",
    "random noise makes the result right on average",
    "Is x + step · (u - 1/2) a multiple of the step?",
)
def stochastic_round(x, u, step):
    return x + step * (u - 0.5)
