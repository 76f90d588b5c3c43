"""The loss needs three numbers per token that no rank has alone. They are the largest logit m, the sum of exponentials
S = Σ_v exp(z_v - m), and the logit of the label. Each is a maximum or a sum over the vocabulary, so each rank reduces
its own columns first, and an all-reduce does the rest:

    loss_n = m + log S - z[n, y_n]

The sums of two ranks can be added only if both ranks subtracted the same m. So the maximum is reduced before the
exponentials are taken. The label belongs to exactly one rank. All other ranks contribute 0 to its logit.

The gradient of the logits stays split like the logits. On its own columns, a rank has

    dz = (exp(z - m) / S - onehot) / N

The row of onehot is all zeros if the label belongs to another rank. The gradients of the two factors of z = h W_rankᵀ
are

    dW_rank = dzᵀ h
    dh = Σ over ranks of dz W_rank

`W_rank` is used on one rank only, so its gradient needs no message. `h` is copied to every rank. The backward of a copy
is a sum, so dh takes an all-reduce.

Cost: each rank computes 1/R of the logits and of both products, if there are R ranks with equally many rows. It sends
3·N + N·d numbers. Gathering the logits would send N·V/R numbers from each rank, and every rank would hold all N·V of
them. V is often above 100,000, and d is a few thousand.

PyTorch: `loss_parallel()` in `torch.distributed.tensor.parallel` computes `F.cross_entropy` on a DTensor of logits that
is split over the classes. Its forward reduces the maximum, the sum and the label's log-probability. Megatron's
`vocab_parallel_cross_entropy` reduces the maximum, the sum and the label's logit, as here. It saves the softmax of the
rank's own columns. Neither backward sends a message, because the sum over ranks of `dh` belongs to the linear layer
that made the logits. Megatron returns one loss for each token and leaves the mean to its caller.

Asked next:

- Can the forward work with fewer than three reductions? → Yes. The sum and the label's logit do not depend on each
  other, so they fit into one message of 2·N numbers. A single all-gather is also possible. Each rank sends its own
  maximum, its sum relative to this maximum, and the label's logit. Then every rank rescales the sums by exp(m_r - m).
- The activations h are split over the tokens, as in sequence parallelism. What replaces the all-reduce of dh? → A
  reduce-scatter. Each rank needs the sum only for its own tokens.
- Does the gradient flow through the maximum m? → No. The loss does not depend on m, because m cancels in m + log Σ
  exp(z - m). Every rank may treat m as a constant.
- V is not a multiple of the number of ranks. What do frameworks do? → Megatron pads the vocabulary to a multiple of
  that number. Without a mask the logits of the padding rows enter the sum S, and training lowers these logits.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, in_step, mistake, scenario

HINTS = (
    "Write the loss of one token with one rank's columns only. Which numbers are missing?",
    (
        "Reduce the row maxima first. Then reduce the sums of exponentials and the labels' logits. The gradient of W "
        "stays on its rank. The gradient of h is a sum over ranks."
    ),
    "With `onehot = y[:, None] == ...`, dz is the local part of the softmax minus onehot, divided by the token count.",
)
RESULTS = ("loss", "dh", "dW", "the number of messages", "the count of numbers sent")


def made(rng, rows, tokens, width=3):
    W = [rng.normal(size=(n, width)) for n in rows]
    return {"h": rng.normal(size=(tokens, width)), "W": W, "y": rng.integers(0, sum(rows), tokens)}


@scenario(1, 2, 3, note="equally many rows on each rank")
def equal(rng, size):
    return made(rng, [2] * size, 4)


@scenario(2, 3, note="different numbers of rows")
def unequal(rng, size):
    return made(rng, [4, 1, 3][:size], 5, 2)


@scenario(2, note="all labels on the last rank")
def one_rank(rng, size):
    return {**made(rng, [3, 2], 3), "y": np.array([3, 4, 4])}


@scenario(2, note="labels at the ends of the shards")
def ends(rng, size):
    return {**made(rng, [3, 2], 4), "y": np.array([0, 2, 3, 4])}


# The first columns of h and W contribute 2000 or -2000 to each logit. Both occur in each row of each rank.
@scenario(2, note="logits near 2000 and -2000")
def large(rng, size):
    given = made(rng, [3] * size, 4)
    given["h"][:, 0] = [50.0, -50.0, 50.0, -50.0]
    for W in given["W"]:
        W[:, 0] = [40.0, 40.0, -40.0]
    return given


CASES = [equal, unequal, one_rank, ends, large]


def drive(candidate, h, W, y):
    offsets = np.cumsum([0, *map(len, W)])

    def program(rank, collective):
        def all_reduce(x, op):
            return collective((op, np.array(x)))

        return candidate(h, W[rank], y, int(offsets[rank]), all_reduce)

    def combine(sent):
        ops, arrays = {op for op, _ in sent}, [x for _, x in sent]
        if len(ops) > 1 or not ops <= {"sum", "max"}:
            raise ValueError(f"the ranks ask for {sorted(map(str, ops))} in one all_reduce")
        if len({x.shape for x in arrays}) > 1:
            raise ValueError(f"the ranks send shapes {[x.shape for x in arrays]} in one all_reduce")
        return np.sum(arrays, axis=0) if ops == {"sum"} else np.max(arrays, axis=0)

    results, rounds = in_step(program, [[rank] for rank in range(len(W))], combine)
    return {
        "loss": np.array([float(loss) for loss, _, _ in results]),
        "dh": np.stack([dh for _, dh, _ in results]),
        "dW": np.concatenate([dW for _, _, dW in results]),
        "the number of messages": max(len(rounds), 4),
        "the count of numbers sent": max(3 * len(h) + h.size, sum(sent[0][1].size for sent in rounds)),
    }


def expected(h, W, y):
    def loss(h, W):
        z = engine.matmul(h, engine.swapaxes(W, 0, 1))
        return (engine.logsumexp(z, axis=1) - z[np.arange(len(y)), y]).mean()

    whole = np.concatenate(W)
    dh, dW = gradient(loss, h, whole)
    return {
        "loss": np.full(len(W), float(loss(h, whole))),
        "dh": np.stack([dh] * len(W)),
        "dW": dW,
        "the number of messages": 4,
        "the count of numbers sent": 3 * len(h) + h.size,
    }


def vocab_parallel_cross_entropy(h, W_rank, y, offset, all_reduce):
    z = h @ W_rank.T
    onehot = y[:, None] == offset + np.arange(len(W_rank))

    top = all_reduce(z.max(axis=1), "max")
    e = np.exp(z - top[:, None])
    total = all_reduce(e.sum(axis=1), "sum")
    label = all_reduce((z * onehot).sum(axis=1), "sum")
    loss = (top + np.log(total) - label).mean()

    dz = (e / total[:, None] - onehot) / len(h)
    dh = all_reduce(dz @ W_rank, "sum")
    return loss, dh, dz.T @ h


MISTAKES = [
    edit(
        "dh-not-reduced",
        "each rank has a dh of its own",
        "Every rank used h. What does the backward of a copy do?",
        'all_reduce(dz @ W_rank, "sum") -> dz @ W_rank',
    ),
    edit(
        "local-softmax",
        "a rank normalises over its own columns",
        "Which columns must the probabilities of a token cover to sum to 1?",
        'all_reduce(e.sum(axis=1), "sum") -> e.sum(axis=1)',
    ),
    edit(
        "local-maximum",
        "each rank subtracts its own maximum",
        "One rank adds exp(z - 5) and another exp(z - 9). What does the sum of both mean?",
        'all_reduce(z.max(axis=1), "max") -> z.max(axis=1)',
    ),
    edit(
        "local-shift-cancels",
        "each rank's own maximum cancels between log S and the label's logit",
        "Only one rank's maximum is subtracted from the label's logit. How many ranks' maxima are in S?",
        'top = all_reduce(z.max(axis=1), "max") -> z = z - z.max(axis=1, keepdims=True); top = np.zeros(len(h))',
    ),
    edit(
        "no-maximum",
        "the exponentials are finite, so nothing need be subtracted",
        "What is exp(2000)? What does `np.log(np.exp(-2000.0))` return?",
        'all_reduce(z.max(axis=1), "max") -> np.zeros(len(h))',
    ),
    edit(
        "target-on-every-rank",
        "every rank holds a column for every label",
        "The label is 5 and the rank holds rows 0 to 2. What is this rank's row of onehot?",
        "onehot = ... -> k = y - offset; k[(k < 0) | (k >= len(W_rank))] = 0; "
        "onehot = k[:, None] == np.arange(len(W_rank))",
    ),
    edit(
        "no-offset",
        "the labels count from the first row of the rank",
        "Which row of W is row 0 of `W_rank` on the second rank?",
        "offset + np.arange -> np.arange",
    ),
    edit(
        "equal-rows",
        "all ranks hold the same number of rows",
        "A rank holds the 3 rows from 5 to 7. For which labels is y // 3 equal to 5 // 3?",
        "onehot = ... -> n = len(W_rank); "
        "onehot = (y // n == offset // n)[:, None] & ((y % n)[:, None] == np.arange(n))",
        "e = np.exp(z - top[:, None]) -> z = z - top[:, None]; top = 0; e = np.exp(z)",
    ),
    edit(
        "label-not-reduced",
        "every rank knows the logit of the label",
        "On which rank is the logit of the label? What do the other ranks use instead?",
        'all_reduce((z * onehot).sum(axis=1), "sum") -> (z * onehot).sum(axis=1)',
    ),
    edit(
        "dW-reduced",
        "the gradient of W is summed over ranks",
        "How many ranks hold row 0 of W? Which rows' gradients does the sum add to the gradient of row 0?",
        'dz.T @ h -> all_reduce(dz.T @ h, "sum")',
    ),
    edit(
        "sum-not-mean",
        "the backward may treat the loss as a sum over tokens",
        "Over how many tokens is the loss a mean?",
        " / len(h) ->",
    ),
    edit(
        "averaged-over-ranks",
        "gradients from different ranks are averaged",
        "Does each rank hold an estimate of the whole dh, or one term of a sum?",
        'dh = all_reduce(dz @ W_rank, "sum") -> count = all_reduce(np.ones(1), "sum"); '
        'dh = all_reduce(dz @ W_rank, "sum") / count',
    ),
    edit(
        "label-by-maximum",
        "the label's logit is the largest of the ranks' numbers",
        "The label's logit is -2, and a rank without the label sends 0. What is the maximum?",
        'all_reduce((z * onehot).sum(axis=1), "sum") -> all_reduce((z * onehot).sum(axis=1), "max")',
    ),
    edit(
        "equal-rows-in-label",
        "label y is on rank y // n, at row y % n, for a rank with n rows",
        "A rank holds the 3 rows from 5 to 7. For which labels is y // 3 equal to 5 // 3?",
        (
            "onehot = ... -> n = len(W_rank); onehot = (y // n == offset // n)[:, None] & ((y % n)[:, None] == "
            "np.arange(n))"
        ),
    ),
    edit(
        "owner-by-division",
        "the owner of label y is rank y // n, for a rank with n rows",
        "A rank holds the 3 rows from 5 to 7. For which labels is y // 3 equal to 5 // 3?",
        (
            "onehot = ... -> n = len(W_rank); onehot = (y // n == offset // n)[:, None] & (y[:, None] == offset "
            "+ np.arange(n))"
        ),
    ),
    edit(
        "end-included",
        "the shard includes the row after its last one",
        "A rank holds n rows from `offset` on. Which is its last row: offset + n or offset + n - 1?",
        (
            "onehot = ... -> n = len(W_rank); k = np.clip(y - offset, 0, n - 1); mine = (y >= offset) & (y <= "
            "offset + n); onehot = mine[:, None] & (k[:, None] == np.arange(n))"
        ),
    ),
    edit(
        "first-row-missed",
        "the first row of a shard belongs to the previous rank",
        "Which label belongs to row 0 of `W_rank`? Does your mask accept this label?",
        "onehot = ... -> onehot = (y[:, None] == offset + np.arange(len(W_rank))) & (y[:, None] > offset)",
    ),
]


@mistake(
    "logits-gathered",
    "every rank needs all logits",
    "How many numbers per token does the loss need from the other ranks?",
)
def vocab_parallel_cross_entropy(h, W_rank, y, offset, all_reduce):
    last = offset + len(W_rank)
    vocabulary = all_reduce(np.array([last]), "max")[0]
    z = np.zeros((len(h), vocabulary))
    z[:, offset:last] = h @ W_rank.T
    z = all_reduce(z, "sum")
    onehot = y[:, None] == np.arange(vocabulary)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    loss = (np.log(e.sum(axis=1)) + z.max(axis=1) - z[onehot]).mean()
    dz = (e / e.sum(axis=1, keepdims=True) - onehot) / len(h)
    dz = dz[:, offset:last]
    return loss, all_reduce(dz @ W_rank, "sum"), dz.T @ h


@mistake(
    "dh-in-two-messages",
    "the softmax part and the label part of dh are each summed over ranks",
    "Both parts of dh are sums over ranks. Can a rank combine its two parts before the all-reduce?",
)
def vocab_parallel_cross_entropy(h, W_rank, y, offset, all_reduce):
    z = h @ W_rank.T
    onehot = y[:, None] == offset + np.arange(len(W_rank))
    top = all_reduce(z.max(axis=1), "max")
    e = np.exp(z - top[:, None])
    sums = np.stack([e.sum(axis=1), (z * onehot).sum(axis=1)])
    total, label = all_reduce(sums, "sum")
    loss = (top + np.log(total) - label).mean()
    p = e / total[:, None]
    dh = all_reduce(p @ W_rank, "sum") - all_reduce(onehot @ W_rank, "sum")
    return loss, dh / len(h), (p - onehot).T @ h / len(h)
