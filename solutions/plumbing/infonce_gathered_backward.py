"""A rank can compute its own m rows of s from its own a and the rows b of all ranks. Let p be the
softmax of these rows of s. The gradient ds of L with respect to them is the gradient of cross-entropy:

    ds = (p - onehot) / n,    onehot is 1 at column rank·m + i of row i

The mean runs over the n rows of all ranks, not over m. The product s = a Bᵀ / T gives two gradients:

    da = ds B / T
    dB = dsᵀ a / T

da is complete, because only this rank's rows of s use this rank's a. dB is not complete. Each row of B is a key for the
rows of all ranks, so its gradient is a sum of terms from all ranks:

    db = own rows of Σ over ranks of dsᵀ a / T

The forward copied b to all ranks by an all-gather. The backward of a copy is a sum, and each rank needs only its own
rows of this sum. A reduce-scatter computes the sum and gives each rank its own rows.

Cost: each rank computes 1/world of s and of the two products of the backward. A ring needs (world - 1)·m·d numbers from
each rank for the all-gather, and as many for the reduce-scatter. The matrix s takes m·n numbers per rank instead of n².

PyTorch: `all_gather` of `torch.distributed.nn.functional`, deprecated in PyTorch 2.13, has this backward. With NCCL it
is a reduce-scatter, and with gloo it is an all-to-all and a sum. `torch.distributed.all_gather` is not differentiable,
so autograd treats its results as constants. open_clip has two options for the gather. `local_loss` computes only the
rank's own rows of s, and `gather_with_grad` uses a differentiable gather. With `local_loss` alone, all gathered rows
are constants, even the rank's own rows.

Asked next:

- DDP averages the gradients of the parameters over ranks afterwards. What must change? → Divide ds by m instead of n.
  The mean over ranks divides by `world`, and world·m is n. With 1/n in ds, the parameters' gradients are too small by
  the factor `world`.
- Each rank gathers detached rows, replaces its own rows by rows with a gradient, and computes the whole n x n loss. Are
  the gradients right? → The rank's own rows get the right da and db, because the rank computes all rows of s that use
  them. After DDP's mean, the gradient is too small by the factor `world`. Each rank also computes `world` times as many
  logits.
- What if the gathered rows are detached and each rank computes only its own rows? → db lacks the terms of other ranks,
  in which this rank's b are negatives. The gradient has another direction, not only another length.
- Why does SigLIP's sigmoid loss split more easily? → It has no sum over a row. Each pair has a term of its own, so the
  ranks can pass blocks of b around a ring and add the terms.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, in_step, mistake, scenario

HINTS = (
    "Your rows of b are negatives on the other ranks. Which ranks' rows of s depend on your b?",
    (
        "Gather b, compute this rank's rows of softmax minus onehot, and divide by the number of rows of the whole "
        "batch. da stays on the rank. dB is a sum over ranks, and each rank keeps its own rows."
    ),
    (
        "This rank's rows of s have their positives in the columns `rank * ... + np.arange(m)`. Reduce-scatter `ds.T @ "
        "...`."
    ),
)
RESULTS = ("da", "db", "the number of messages", "the count of numbers sent")


def made(rng, ranks, m, d, T):
    return {"a": rng.normal(size=(ranks, m, d)), "b": rng.normal(size=(ranks, m, d)), "T": T}


@scenario(1, 2, 3, note="random rows")
def random_rows(rng, size):
    return made(rng, size, 2, 3, 0.5)


@scenario(2, note="one row on each rank")
def single(rng, size):
    return made(rng, size, 1, 2, 2.0)


@scenario(2, note="as many rows as columns")
def square(rng, size):
    return made(rng, size, 3, 3, 1.5)


# The first columns of a and b contribute 2000 or -2000 to each score.
@scenario(2, note="scores near 2000 and -2000 in each row")
def large(rng, size):
    given = made(rng, size, 4, 3, 0.5)
    given["a"][..., 0] = [25.0, -25.0, 25.0, -25.0]
    given["b"][..., 0] = [40.0, 40.0, -40.0, -40.0]
    return given


@scenario(2, note="one row near 2000, one near -2000")
def far_apart(rng, size):
    given = made(rng, size, 2, 3, 0.5)
    given["a"][..., 0] = [25.0, -25.0]
    given["b"][..., 0] = 40
    return given


# 1032 rows in all: the rows of s of one rank take 0.7 MiB, the whole s takes 8 MiB.
@scenario(12, note="many ranks", memory=6 << 20, because="the n x n matrix")
def many(rng, size):
    return made(rng, size, 86, 2, 1.0)


CASES = [random_rows, single, square, large, far_apart, many]


def drive(candidate, a, b, T):
    ranks, m, _ = a.shape

    def program(rank, collective):
        def all_gather(x):
            return collective(("all_gather", np.array(x)))

        def reduce_scatter(x):
            x = np.array(x)
            if len(x) != ranks * m:
                raise ValueError(f"reduce_scatter takes {ranks * m} rows here, not {len(x)}")
            return collective(("reduce_scatter", x))[rank * m : rank * m + m]

        return candidate(rank, ranks, a[rank], b[rank], T, all_gather, reduce_scatter)

    def combine(sent):
        kinds, arrays = {kind for kind, _ in sent}, [x for _, x in sent]
        if len(kinds) > 1:
            raise ValueError("some ranks call all_gather while others call reduce_scatter")
        return arrays if kinds == {"all_gather"} else np.sum(arrays, axis=0)

    results, rounds = in_step(program, [[rank] for rank in range(ranks)], combine)
    sent = [sum(arrays[rank][1].size for arrays in rounds) for rank in range(ranks)]
    return {
        "da": np.stack([da for da, _ in results]),
        "db": np.stack([db for _, db in results]),
        "the number of messages": max(len(rounds), 2),
        "the count of numbers sent": max((1 + ranks) * a[0].size, *sent),
    }


def expected(a, b, T):
    ranks, m, d = a.shape

    def loss(a, b):
        s = engine.matmul(a.reshape(-1, d), engine.swapaxes(b.reshape(-1, d), 0, 1)) / T
        return (engine.logsumexp(s, axis=1) - engine.diagonal(s)).mean()

    # A thousand rows take finite differences too long. They check the smaller cases.
    da, db = gradient(loss, a, b) if ranks < 9 else map(np.asarray, engine.vjp(loss, a, b)[1](np.ones(())))
    return {
        "da": da,
        "db": db,
        "the number of messages": 2,
        "the count of numbers sent": (1 + ranks) * m * d,
    }


def infonce_gathered_backward(rank, world, a, b, T, all_gather, reduce_scatter):
    B = np.concatenate(all_gather(b))
    s = a @ B.T / T
    p = np.exp(s - s.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)

    own = np.arange(len(a))
    p[own, rank * len(a) + own] -= 1
    ds = p / len(B)
    return ds @ B / T, reduce_scatter(ds.T @ a / T)


MISTAKES = [
    edit(
        "own-rows-only",
        "rows that were gathered from other ranks are constants",
        "Your b are negatives on the other ranks. Do the losses of these ranks depend on your b?",
        "reduce_scatter(ds.T @ a / T) -> (ds.T @ a / T)[rank * len(a) + own]",
    ),
    edit(
        "labels-not-offset",
        "the positive of row i is in column i",
        "At which row of B do your own rows begin?",
        "rank * len(a) + own -> own",
    ),
    edit(
        "mean-over-own-rows",
        "the loss is a mean over the m rows of a rank",
        "Over how many rows is L a mean?",
        "ds = p / len(B) -> ds = p / len(a)",
    ),
    edit(
        "reduced-by-mean",
        "gradients are averaged over ranks",
        "ds is already divided by all n rows. What is the backward of a copy: a mean or a sum?",
        "reduce_scatter(ds.T @ a / T) -> reduce_scatter(ds.T @ a / T) / world",
    ),
    edit(
        "no-temperature",
        "the temperature only scales the scores",
        "s is A Bᵀ / T. What is the derivative of s with respect to A?",
        "ds @ B / T -> ds @ B",
        "ds.T @ a / T -> ds.T @ a",
    ),
    edit(
        "overflow",
        "the exponential of every score is finite",
        "What is exp(2000)? What can you subtract from a row of s without changing its softmax?",
        "s - s.max(axis=1, keepdims=True) -> s",
    ),
    edit(
        "global-maximum",
        "one maximum for all rows is enough",
        "One row has scores near 2000 and another near -2000. What is exp(-4000)?",
        "s.max(axis=1, keepdims=True) -> s.max()",
    ),
    edit(
        "own-keys-only",
        "the negatives of a row are on its own rank",
        "Over which columns does the sum of exponentials run?",
        "p /= ... -> p[:, : rank * len(a)] = 0; p[:, (rank + 1) * len(a) :] = 0; p /= p.sum(axis=1, keepdims=True)",
    ),
]


@mistake(
    "whole-matrix",
    "every rank needs all rows of s",
    "How large is the n x n matrix with 1000 ranks of 64 rows? Which rows of s depend on your a?",
)
def infonce_gathered_backward(rank, world, a, b, T, all_gather, reduce_scatter):
    pairs = all_gather(np.stack([a, b]))
    A = np.concatenate([pair[0] for pair in pairs])
    B = np.concatenate([pair[1] for pair in pairs])
    s = A @ B.T / T
    p = np.exp(s - s.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    ds = (p - np.eye(len(s))) / len(s) / T
    own = slice(rank * len(a), (rank + 1) * len(a))
    return ds[own] @ B, ds.T[own] @ A
