"""The forward copies each row to exactly one place. It is a permutation of the rows of all ranks together. The Jacobian
of a permutation is a permutation matrix P, and its transpose Pᵀ is its inverse. So the backward sends each row of g
back to the place of its token.

There are two steps to undo, the last one first. The exchange put the `recv[r]` rows of rank r next to each other, in
the order of ranks. So the first recv[0] rows of g go back to rank 0, the next recv[1] rows to rank 1, and so on. This
is the same collective with the two lists of counts swapped. Each rank gets back send[r] rows from rank r, in the order
of ranks, which is the order of x[perm].

Row i of x[perm] is row perm[i] of x. So row i of the returned rows belongs to row perm[i] of dx. This is a scatter:

    dx[perm] = exchange(g, recv)

Cost: as many messages and bytes as in the forward, apart from the counts. The counts of the forward are known, so the
backward does not have to send them first. Nothing of x is saved, only the permutation and two lists of counts.

PyTorch: the backward of `all_to_all_single` in `torch.distributed.nn.functional` is the same function, with its two
lists of split sizes swapped. `all_to_all_single_autograd` of the functional collectives gives the same gradients. The
older `torch.distributed.all_to_all_single` is not differentiable. The backward of Megatron's `_AllToAll` also applies
the function itself with the two lists swapped.

Asked next:

- What are the backwards of the other collectives? → The backward of an all-gather is a reduce-scatter, because each row
  was copied to all ranks. The backward of a reduce-scatter is an all-gather. The backward of an all-reduce is an
  all-reduce if each rank has its own cotangent. If all ranks hold the cotangent of one loss, the backward is the
  identity.
- Each token goes to its two best experts. What changes? → `perm` becomes a list of row numbers in which each token
  occurs twice. A token is copied, so its gradients are added: `np.add.at(dx, index, rows)` replaces the assignment.
- Must the host know the counts before the exchange? → Without a fixed capacity, yes. The host must know the sizes of
  the buffers, so it first exchanges the counts and waits for them. With a fixed capacity per expert the sizes are
  constants, but tokens above the capacity are dropped and short buffers are padded.
- What gradient does a dropped token get? → The gradient through the expert is zero, because no received row depends on
  the token. Its residual connection still carries a gradient.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, in_step, mistake, scenario

HINTS = (
    "Follow one row of x to its place on another rank. On which rank is the row of g that belongs to it?",
    (
        "Send the rows of g back to the ranks that they came from. Then undo the permutation. Row i of the returned "
        "rows belongs to token perm[i]."
    ),
    "Write `dx[...] = exchange(g, ...)`. dx has as many rows as come back.",
)
RESULTS = ("dx", "the number of messages", "the counts of numbers sent")


def made(rng, counts, width=2):
    """Return the inputs of all ranks; `counts[i][j]` rows go from rank i to rank j."""
    counts = np.array(counts)
    perm = [rng.permutation(n) for n in counts.sum(axis=1)]
    return {"counts": counts, "perm": perm, "g": [rng.normal(size=(n, width)) for n in counts.sum(axis=0)]}


@scenario(1, 2, 3, note="random counts")
def random_counts(rng, size):
    return made(rng, rng.integers(1, 4, (size, size)))


@scenario(2, 3, note="some counts are 0")
def zeros(rng, size):
    return made(rng, np.array([[2, 0, 3], [3, 1, 0], [0, 4, 0]])[:size, :size])


@scenario(3, note="equal counts")
def equal(rng, size):
    return made(rng, np.full((size, size), 2))


@scenario(3, note="a rank without tokens and a rank that receives none")
def idle(rng, size):
    return made(rng, [[2, 0, 3], [0, 0, 0], [1, 0, 2]])


@scenario(2, note="a cyclic permutation")
def cyclic(rng, size):
    return {**made(rng, [[1, 2], [3, 1]]), "perm": [np.array([1, 2, 0]), np.array([2, 3, 0, 1])]}


CASES = [random_counts, zeros, equal, idle, cyclic]


def drive(candidate, counts, perm, g):
    ranks = len(g)

    def program(rank, collective):
        def exchange(rows, splits):
            rows, splits = np.array(rows), [int(n) for n in splits]
            if len(splits) != ranks or sum(splits) != len(rows):
                raise ValueError(f"exchange: the splits {splits} do not fit {len(rows)} rows and {ranks} ranks")
            sent = collective(np.split(rows, np.cumsum(splits)[:-1]))
            return np.concatenate([parts[rank] for parts in sent])

        return candidate(g[rank], perm[rank], counts[rank].tolist(), counts[:, rank].tolist(), exchange)

    results, rounds = in_step(program, [[rank] for rank in range(ranks)], list)
    sent = [sum(part.size for sent in rounds for part in sent[rank]) for rank in range(ranks)]
    return {
        "dx": np.concatenate(results),
        "the number of messages": len(rounds),
        "the counts of numbers sent": np.array(sent),
    }


def expected(counts, perm, g):
    starts = np.cumsum([0, *counts.sum(axis=1)])

    def loss(x):
        total = 0
        for to in range(len(g)):
            parts = []
            for source in range(len(g)):
                begin = counts[source, :to].sum()
                rows = perm[source][begin : begin + counts[source, to]]
                parts.append(x[starts[source] + rows])
            total = total + (engine.concatenate(parts) * g[to]).sum()
        return total

    (dx,) = gradient(loss, np.zeros((starts[-1], g[0].shape[1])))
    return {
        "dx": dx,
        "the number of messages": 1,
        "the counts of numbers sent": np.array([rows.size for rows in g]),
    }


def all_to_all_backward(g, perm, send, recv, exchange):
    back = exchange(g, recv)
    dx = np.empty((len(perm), g.shape[1]))
    dx[perm] = back
    return dx


MISTAKES = [
    edit(
        "same-splits",
        "the backward exchanges with the counts of the forward",
        "How many rows does g have, and from which ranks did they come?",
        "exchange(g, recv) -> exchange(g, send)",
    ),
    edit(
        "permuted-again",
        "indexing with perm undoes perm",
        "Let perm be (1, 2, 0). What do you get if you apply it twice?",
        "dx[perm] = back -> dx[:] = back[perm]",
    ),
    edit(
        "left-sorted",
        "the rows come back in the order of x",
        "To which token does row 0 of x[perm] belong?",
        "dx[perm] = back -> dx[:] = back",
    ),
    edit(
        "mean-over-ranks",
        "gradients from different ranks are averaged",
        "How many ranks received one row of x? What is there to average?",
        "dx[perm] = back -> dx[perm] = back / len(send)",
    ),
    edit(
        "shaped-like-g",
        "dx has as many rows as g",
        "How many rows did this rank send in the forward, and how many did it receive?",
        "np.empty((len(perm), g.shape[1])) -> np.zeros_like(g)",
    ),
    edit(
        "zeros-dropped",
        "a count of 0 needs no entry in the splits",
        "To which rank does `exchange` send the rows of the second entry? Does your list have one entry for each rank?",
        "exchange(g, recv) -> exchange(g, [n for n in recv if n > 0])",
    ),
    edit(
        "ends-as-splits",
        "the splits are the rows at which the blocks end",
        "Rank 0 gets 2 rows and rank 1 gets 3. Which two numbers does `exchange` take: 2 and 3, or 2 and 5?",
        "exchange(g, recv) -> exchange(g, np.cumsum(recv).tolist())",
    ),
]


@mistake(
    "not-exchanged",
    "this rank holds the gradients of its own tokens",
    "On which rank is the received row that depends on your first token?",
)
def all_to_all_backward(g, perm, send, recv, exchange):
    dx = np.zeros((len(perm), g.shape[1]))
    rows = min(len(perm), len(g))
    dx[perm[:rows]] = g[:rows]
    return dx


@mistake(
    "message-per-rank",
    "every rank needs a message of its own",
    "To how many ranks can one call of `exchange` send rows?",
)
def all_to_all_backward(g, perm, send, recv, exchange):
    blocks = []
    for rank, rows in enumerate(np.split(g, np.cumsum(recv)[:-1])):
        splits = [0] * len(recv)
        splits[rank] = len(rows)
        blocks.append(exchange(rows, splits))
    dx = np.empty((len(perm), g.shape[1]))
    dx[perm] = np.concatenate(blocks)
    return dx


@mistake(
    "skips-exchange",
    "a rank without rows need not call `exchange`",
    "`exchange` waits for all ranks. What happens to the other ranks if one rank does not call it?",
)
def all_to_all_backward(g, perm, send, recv, exchange):
    dx = np.empty((len(perm), g.shape[1]))
    if len(g) + len(perm) > 0:
        dx[perm] = exchange(g, recv)
    return dx
