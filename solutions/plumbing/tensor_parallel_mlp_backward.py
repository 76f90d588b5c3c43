"""Write the MLP as one function of the whole matrices. The columns of W1 are independent of each other up to the second
product, and this product is a sum over hidden units:

    out = Σ_r relu(x W1_r) W2_r + b

The loss L is one number, although every rank computes it. Each term of the sum receives the cotangent of the sum
unchanged. So the backward of this all-reduce is the identity, and rank r continues with the whole g:

    dW2_r = h_rᵀ g
    da_r  = g W2_rᵀ * [x W1_r > 0]
    dW1_r = xᵀ da_r
    db    = sum of g over the rows

x was copied to all ranks in the forward. The backward of a copy is a sum, so dx needs the terms of all ranks:

    dx = Σ_r da_r W1_rᵀ

The two directions mirror each other. If the forward copies an array to all ranks, the backward all-reduces its
gradient. If the forward all-reduces an array, the backward copies its gradient without a message.

Cost: each of the R ranks does 1/R of the four products of the backward. Each rank also repeats its part of the first
product of the forward, because h was not saved. The forward has one all-reduce of N·e numbers, and the backward has one
of N·d numbers. The gradients of the matrices need no message at all, whereas data parallelism would all-reduce both of
them.

PyTorch: `parallelize_module` with `ColwiseParallel()` for the first layer and `RowwiseParallel()` for the second one
makes one all-reduce in the forward and one in the backward. Megatron writes the pair as two autograd functions. One is
the identity in the forward and an all-reduce in the backward, and the other one is the reverse.
`torch.distributed.nn.functional.all_reduce` differs: its backward is another all-reduce. This backward differentiates
the sum of the losses of all ranks. If all ranks compute the same loss, its gradients are R times as large as here.

Asked next:

- Why is W1 split by columns and W2 by rows, and not the other way round? → A rank then computes its hidden units
  completely, so relu needs no message. If W1 were split by rows, its product would be a sum over ranks. This sum would
  have to be reduced before relu, because relu of a sum is not the sum of relus.
- Where must the bias be added, and what goes wrong if it is added elsewhere? → Add the bias after the reduction. If
  each of the R ranks added b before the reduction, `out` would contain R·b.
- What changes with sequence parallelism, where x and out are split over the tokens? → The forward gathers x before W1
  and reduce-scatters after W2. The backward mirrors this. It gathers g and reduce-scatters dx. A gather and a
  reduce-scatter together send as many bytes as an all-reduce. But dW1 needs the whole x, so a rank that kept only its
  own tokens gathers x once more. Parameters that act on split tokens, such as b or the parameters of a norm, need an
  all-reduce of their own.
- How many all-reduces does one transformer layer need per step under tensor parallelism? → It needs four. Attention and
  the MLP each need one in the forward and one in the backward. If backward recomputes the layer, the two all-reduces of
  the forward are repeated.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, in_step, scenario

HINTS = (
    "All ranks hold the same g, and L is one number. How does `out` change if one rank's term of the sum changes?",
    (
        "Each rank backpropagates the whole g through its own columns and rows. Only x was copied to all ranks, so "
        "only dx is a sum over ranks."
    ),
    "With `da = g @ W2_rank.T * (...)`, reduce the product of da and the transpose of one matrix. Reduce nothing else.",
)
RESULTS = ("dx", "dW1", "dW2", "db", "the number of messages", "the count of numbers sent")


def made(rng, widths, tokens, d, e):
    return {
        "x": rng.normal(size=(tokens, d)),
        "W1": [rng.normal(size=(d, k)) for k in widths],
        "W2": [rng.normal(size=(k, e)) for k in widths],
        "g": rng.normal(size=(tokens, e)),
    }


@scenario(1, 2, 3, note="equal widths")
def equal(rng, size):
    return made(rng, [2] * size, 4, 3, 5)


@scenario(2, 3, note="different widths")
def unequal(rng, size):
    return made(rng, [3, 1, 2][:size], 2, 4, 3)


@scenario(2, note="square matrices")
def square(rng, size):
    return made(rng, [3] * size, 3, 3, 3)


@scenario(2, note="relu at 0")
def kink(rng, size):
    given = made(rng, [2] * size, 3, 2, 2)
    given["x"][1] = 0
    return given


# Finite differences would step across the kink.
@scenario(2, note="activations near 1e-10")
def tiny(rng, size):
    given = made(rng, [3] * size, 4, 3, 2)
    given["x"] *= 1e-10
    return given


CASES = [equal, unequal, square, kink, tiny]


def drive(candidate, x, W1, W2, g):
    def program(rank, collective):
        def all_reduce(a):
            return collective(np.array(a))

        return candidate(x, W1[rank], W2[rank], g, all_reduce, len(W1))

    def combine(sent):
        if len({a.shape for a in sent}) > 1:
            raise ValueError(f"the ranks send shapes {[a.shape for a in sent]} in one all_reduce")
        return np.sum(sent, axis=0)

    results, rounds = in_step(program, [[rank] for rank in range(len(W1))], combine)
    dx, dW1, dW2, db = zip(*results)
    return {
        "dx": np.stack(dx),
        "dW1": np.concatenate(dW1, axis=1),
        "dW2": np.concatenate(dW2, axis=0),
        "db": np.stack(db),
        "the number of messages": max(1, len(rounds)),
        "the count of numbers sent": max(x.size, sum(sent[0].size for sent in rounds)),
    }


def expected(x, W1, W2, g):
    def loss(x, W1, W2, b):
        return ((engine.matmul(engine.relu(engine.matmul(x, W1)), W2) + b) * g).sum()

    whole = x, np.concatenate(W1, axis=1), np.concatenate(W2), np.zeros(g.shape[1])
    if (np.abs(x @ whole[1]) > 1e-6).all():
        dx, dW1, dW2, db = gradient(loss, *whole)
    else:  # finite differences do not apply at the kink
        dx, dW1, dW2, db = (np.asarray(d) for d in engine.vjp(loss, *whole)[1](np.ones(())))
    return {
        "dx": np.stack([dx] * len(W1)),
        "dW1": dW1,
        "dW2": dW2,
        "db": np.stack([db] * len(W1)),
        "the number of messages": 1,
        "the count of numbers sent": x.size,
    }


def tensor_parallel_mlp_backward(x, W1_rank, W2_rank, g, all_reduce, world):
    a = x @ W1_rank
    h = np.maximum(a, 0)
    dW2 = h.T @ g
    da = g @ W2_rank.T * (a > 0)
    dW1 = x.T @ da
    dx = all_reduce(da @ W1_rank.T)
    return dx, dW1, dW2, g.sum(axis=0)


MISTAKES = [
    edit(
        "g-reduced",
        "the backward of an all-reduce is an all-reduce",
        "Every rank holds the whole g already. What does the sum over ranks contain?",
        "a = x @ W1_rank -> g = all_reduce(g); a = x @ W1_rank",
    ),
    edit(
        "dx-local",
        "each rank has a dx of its own",
        "x went to the columns of every rank. What does the backward of a copy do?",
        "all_reduce(da @ W1_rank.T) -> da @ W1_rank.T",
    ),
    edit(
        "dx-averaged",
        "gradients from different ranks are averaged",
        "Does each rank hold an estimate of the whole dx, or one term of a sum?",
        "all_reduce(da @ W1_rank.T) -> all_reduce(da @ W1_rank.T) / world",
    ),
    edit(
        "bias-shared-out",
        "every rank adds its share of the bias",
        "Is b added before the reduction or after it? How many times does `out` contain b?",
        "g.sum(axis=0) -> g.sum(axis=0) / world",
    ),
    edit(
        "db-reduced",
        "db is a sum over ranks",
        "On every rank, let g be 1 for one token and 0 for the others. What is dL/db, and what do you return?",
        "g.sum(axis=0) -> all_reduce(g.sum(axis=0))",
    ),
    edit(
        "g-shared-out",
        "each rank receives its share of g",
        "Increase one entry of one rank's term of `out` by 1. By how much does that entry of `out` increase?",
        "a = x @ W1_rank -> g = g / world; a = x @ W1_rank",
    ),
    edit(
        "weights-reduced",
        "the gradients of the weights are summed over ranks, as in data parallelism",
        "How many ranks hold the first column of W1? Which batch do the other ranks see?",
        "dW1 = ... -> dW1 = all_reduce(x.T @ da)",
        "dW2 = ... -> dW2 = all_reduce(h.T @ g)",
    ),
    edit(
        "no-mask",
        "relu passes every gradient",
        "What is the slope of relu at a negative input?",
        " * (a > 0) ->",
    ),
    edit(
        "at-the-kink",
        "the slope of relu at 0 is 1",
        "Which slope at 0 does the task ask for? Which slope does your comparison give?",
        "a > 0 -> a >= 0",
    ),
    edit(
        "bias-on-every-rank",
        "every rank adds b to the sum",
        "Is b added before the all_reduce or after it? How many times does `out` contain b?",
        "g.sum(axis=0) -> world * g.sum(axis=0)",
    ),
    edit(
        "tolerance",
        "an activation near 0 counts as 0",
        "The slope of relu is 1 for every positive input. Which slope does your code use at 1e-10?",
        "a > 0 -> a > 1e-8",
    ),
]
