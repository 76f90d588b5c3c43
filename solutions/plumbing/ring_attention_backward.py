"""The keys of another rank form one block of columns of S. With the saved log-sum-exp of the whole row, a rank can
compute the probabilities and gradients of one block without the other blocks:

    p  = exp(q kᵀ / √d - lse)
    ds = p * (g vᵀ - D) / √d
    dq += ds k,    dk += dsᵀ q,    dv += pᵀ g

D is the sum of dp * p over a whole row, with dp = g vᵀ. It equals the row sum of g * out. Each rank holds whole rows of
g and out, so D needs no message.

A rank sees all keys if k and v travel around the ring. dq belongs to the queries, which stay. The gradients dk and dv
belong to the keys, which travel. Each rank that the keys visit adds its term. So dk and dv travel together with their k
and v, and start at 0 at home. After `world` steps and `world` shifts, each block is back at the rank that owns it, with
the terms of all ranks.

The forward needs only world - 1 shifts, because its k and v need not return. In the backward, the last shift brings dk
and dv home.

Cost: each step computes five products of blocks, and the forward computes two. A step sends four arrays instead of two,
with 2·m·(d + e) numbers in total. The memory of a rank holds a few blocks, however long the whole sequence is. Products
take O(m²) time and messages take O(m) time, so for large m the messages can be hidden behind the products.

PyTorch: `context_parallel` in `torch.distributed.tensor.experimental` has this backward. In PyTorch 2.13, dk and dv
also make `world` shifts. By default `context_parallel` collects k and v in one all-gather, so each rank holds all keys
for a while. `set_rotate_method("alltoall")` makes k and v travel too, in messages of their own. dk and dv accumulate
in float32 by default. The fused attention kernel gets the saved `out` and the log-sum-exp of whole rows.

Asked next:

- Could the queries travel instead? → Yes. Then dk and dv stay, and q, g, lse, D and dq travel. For d = e these are
  three arrays and two numbers per row instead of four arrays. With grouped-query attention k and v have fewer heads
  than q, so it is cheaper to move k and v.
- The mask is causal and the ranks hold contiguous pieces. Which rank waits? → Rank r computes only r + 1 of the `world`
  blocks, so rank 0 waits most of the time. Cut the sequence into 2·world pieces instead, and give rank r the pieces r
  and 2·world - 1 - r. Then all ranks do equal work.
- Why may each block use the saved lse and not a running maximum? → A running maximum is needed only while the sum of a
  row is unknown. The backward knows the sum, and s ≤ lse holds up to rounding, so the exponential cannot overflow.
- Is the sum in dk the same from run to run? → Each block visits the ranks in a fixed order, so its terms are added in a
  fixed order, and the result is reproducible. It differs from the result of a single GPU by rounding errors.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, in_step, mistake, scenario

HINTS = (
    "The keys travel around the ring. In each step a rank computes dk and dv of one block. Which rank needs them?",
    (
        "In each step, add to dq, dk and dv for the current block. Then send k, v, dk and dv on together. Stop when "
        "the block is at home again."
    ),
    "The loop has `world` steps. Each one ends with `k, v, ... = shift((k, v, ...))`. D comes from g and `out`.",
)
RESULTS = ("dq", "dk", "dv", "the number of messages", "the count of numbers sent")


def with_forward(q, k, v, g):
    """Return the inputs of all ranks, with what the forward saved."""
    s = np.concatenate(q) @ np.concatenate(k).T / q.shape[2] ** 0.5
    top = s.max(axis=1, keepdims=True)
    total = np.exp(s - top).sum(axis=1, keepdims=True)
    out = np.exp(s - top) / total @ np.concatenate(v)
    lse = (top + np.log(total)).reshape(q.shape[:2])
    return {"g": g, "q": q, "k": k, "v": v, "out": out.reshape(g.shape), "lse": lse}


def made(rng, ranks, m, d, e):
    return with_forward(*(rng.normal(size=(ranks, m, width)) for width in (d, d, e, e)))


@scenario(1, 2, 3, note="random rows")
def random_rows(rng, size):
    return made(rng, size, 2, 3, 4)


@scenario(4, note="one row on each rank")
def single(rng, size):
    return made(rng, size, 1, 2, 3)


@scenario(2, note="square arrays")
def square(rng, size):
    return made(rng, size, 3, 3, 3)


# The first columns of q and k contribute 2000 to each score.
@scenario(2, note="scores near 2000")
def large(rng, size):
    q, k, v, g = (rng.normal(size=(size, 2, width)) for width in (4, 4, 2, 2))
    q[..., 0], k[..., 0] = 100, 40
    return with_forward(q, k, v, g)


CASES = [random_rows, single, square, large]


# The shape and the dtype of an array without elements would be a message that counts as no number.
def drive(candidate, g, q, k, v, out, lse):
    ranks = len(q)

    def program(rank, collective):
        def shift(arrays):
            sent = tuple(np.array(a) for a in arrays)
            return collective(tuple(a if a.size else np.zeros(0) for a in sent))[rank - 1]

        own = (a[rank] for a in (g, q, k, v, out, lse))
        return candidate(rank, ranks, *own, shift)

    results, rounds = in_step(program, [[rank] for rank in range(ranks)], list)
    # Shapes and dtypes are a message too, unless they are the same on all ranks.
    sent = [0] * ranks
    for tuples in rounds:
        alike = len({tuple((x.shape, x.dtype.str) for x in arrays) for arrays in tuples}) == 1
        for rank, arrays in enumerate(tuples):
            sent[rank] += sum(max(x.size, 1) + (0 if alike else 1 + x.ndim) for x in arrays)
    dq, dk, dv = zip(*results)
    limit = 2 * (k.size + v.size)
    return {
        "dq": np.stack(dq),
        "dk": np.stack(dk),
        "dv": np.stack(dv),
        "the number of messages": max(len(rounds), 2 * ranks),
        "the count of numbers sent": max(limit, *sent),
    }


def expected(g, q, k, v, out, lse):
    def loss(q, k, v):
        q, k, v = (a.reshape(-1, a.shape[2]) for a in (q, k, v))
        p = engine.softmax(engine.matmul(q, engine.swapaxes(k, 0, 1)) / q.shape[1] ** 0.5, axis=1)
        return (engine.matmul(p, v) * g.reshape(-1, g.shape[2])).sum()

    dq, dk, dv = gradient(loss, q, k, v)
    return {
        "dq": dq,
        "dk": dk,
        "dv": dv,
        "the number of messages": 2 * len(q),
        "the count of numbers sent": 2 * (k.size + v.size),
    }


def ring_attention_backward(rank, world, g, q, k, v, out, lse, shift):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for _ in range(world):
        p = np.exp(q @ k.T * scale - lse[:, None])
        ds = p * (g @ v.T - row_dot) * scale
        dq += ds @ k
        dk += ds.T @ q
        dv += p.T @ g
        k, v, dk, dv = shift((k, v, dk, dv))
    return dq, dk, dv


MISTAKES = [
    edit(
        "accumulators-stay",
        "a rank keeps the dk and dv that it computes",
        "To whose keys do the gradients of the second step belong?",
        "k, v, dk, dv = shift((k, v, dk, dv)) -> k, v = shift((k, v))",
    ),
    edit(
        "one-shift-short",
        "the last shift is unnecessary, as in the forward",
        "On which rank is your dk after world - 1 shifts?",
        "k, v, dk, dv = shift((k, v, dk, dv)) -> world -= 1; k, v, dk, dv = shift((k, v, dk, dv)) if world else "
        "(k, v, dk, dv)",
    ),
    edit(
        "one-step-short",
        "world - 1 steps visit all keys",
        "Count the blocks of keys that a rank must see, and include its own.",
        "range(world) -> range(world - 1)",
    ),
    edit(
        "softmax-per-block",
        "a block can be normalised on its own",
        "A block holds only a part of each row. Which saved array gives the sum over the whole row?",
        "p = ... -> s = q @ k.T * scale; p = np.exp(s - s.max(axis=1, keepdims=True)); "
        "p /= p.sum(axis=1, keepdims=True)",
    ),
    edit(
        "row-dot-per-block",
        "the row sum of dp * p can be taken within a block",
        "The sum runs over the whole row. Which identity gives this sum from g and `out`?",
        "g @ v.T - row_dot -> g @ v.T - (g @ v.T * p).sum(axis=1, keepdims=True)",
    ),
    edit(
        "no-row-dot",
        "the slope of softmax is p",
        "Each whole row of ds must sum to 0. Do the rows of your ds sum to 0 over all blocks?",
        "g @ v.T - row_dot -> g @ v.T",
    ),
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "S is Q Kᵀ over √d. What is the derivative of S with respect to Q?",
        "(g @ v.T - row_dot) * scale -> (g @ v.T - row_dot)",
    ),
    edit(
        "exp-ratio",
        "exp(s - lse) can be computed as exp(s) / exp(lse)",
        "Let s and lse be 2000. What are the two exponentials?",
        "np.exp(q @ k.T * scale - lse[:, None]) -> np.exp(q @ k.T * scale) / np.exp(lse[:, None])",
    ),
    edit(
        "assigned",
        "one rank completes dk and dv of a block",
        "How many ranks use one block of keys? What happens to the terms of the earlier ranks?",
        "dk += ds.T @ q -> dk = ds.T @ q",
        "dv += p.T @ g -> dv = p.T @ g",
    ),
    edit(
        "dq-travels",
        "every accumulator travels with the keys",
        "Which rows of Q does a rank use in all steps? To whose queries does its dq belong?",
        "k, v, dk, dv = shift((k, v, dk, dv)) -> k, v, dk, dv, dq = shift((k, v, dk, dv, dq))",
    ),
]


@mistake(
    "tables-sent",
    "each rank fills a table of all dk and dv, and the tables are summed at the end",
    "How many numbers does a table of all dk hold? How many of these numbers does a rank need in the end?",
)
def ring_attention_backward(rank, world, g, q, k, v, out, lse, shift):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros((world, *k.shape)), np.zeros((world, *v.shape))
    for step in range(world):
        p = np.exp(q @ k.T * scale - lse[:, None])
        ds = p * (g @ v.T - row_dot) * scale
        dq += ds @ k
        dk[rank - step] = ds.T @ q
        dv[rank - step] = p.T @ g
        k, v = shift((k, v))
    sum_k, sum_v = dk.copy(), dv.copy()
    for _ in range(world - 1):
        dk, dv = shift((dk, dv))
        sum_k, sum_v = sum_k + dk, sum_v + dv
    return dq, sum_k[rank], sum_v[rank]


@mistake(
    "queries-travel",
    "the rows of the queries may travel instead of the keys",
    "Count the numbers of one step: k, v, dk and dv, or all the arrays that you send. Does lse count too?",
)
def ring_attention_backward(rank, world, g, q, k, v, out, lse, shift):
    scale = q.shape[1] ** -0.5
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for _ in range(world):
        p = np.exp(q @ k.T * scale - lse[:, None])
        ds = p * (g @ v.T - (g * out).sum(axis=1, keepdims=True)) * scale
        dq = dq + ds @ k
        dk += ds.T @ q
        dv += p.T @ g
        q, g, out, lse, dq = shift((q, g, out, lse, dq))
    return dq, dk, dv
