"""The loss is a sum over tokens divided by N, the number of labelled tokens of all micro-batches and ranks. So each
token has the weight 1/N:

    grad = (Σ over ranks and micro-batches of grad_of_sum) / N

The faulty code takes three means: over the tokens of a micro-batch, over the micro-batches of a rank, and over ranks. A
token in a micro-batch of c tokens gets the weight 1/(c · micro-batches · world). All tokens have equal weights only if
all micro-batches have equally many tokens and all ranks have equally many micro-batches. In a micro-batch of padding
only, c is 0, and 0/0 is NaN.

The count N is a sum over all ranks, so it takes one message of one number. The mean over ranks at the end divides by
`world`, as DDP does. Multiply by `world` first, so that the weight 1/N is left:

    each rank sums grad_of_sum · world/N, and the mean over ranks follows

N need not be known before the first backward. The gradient is linear in the loss, so it can be divided by N at the end.

Cost: one more message of one number per step, or none if the count travels in the message of the gradients. The count
depends only on the labels. It is known before the first forward, so this message delays nothing.

PyTorch: `F.cross_entropy` with `reduction="mean"` divides by the number of labelled tokens in its own call, so
accumulation over calls is a mean of means. If all labels are `ignore_index`, the loss is NaN. Use `reduction="sum"` and
divide by N. DDP averages over ranks, so the loss is multiplied by `world`. The Trainer of Hugging Face passes
`num_items_in_batch`, the count of the labelled tokens of all accumulation steps, to the loss. With
`average_tokens_across_devices` it adds the counts of all devices.

Asked next:

- How wrong is the mean of means? → The error is not a fixed factor. Tokens of short micro-batches weigh too much. With
  micro-batches of 400 tokens and 100 tokens, a token of the second micro-batch weighs four times as much as a token of
  the first.
- Must N be known before the first backward? → No. Accumulate sums and scale once at the end. In float16 the sums may
  overflow. To avoid this, divide each term by a fixed guess of N before you add it.
- Is the mean over all tokens always the right loss? → It is a choice. A mean over all tokens gives long texts more
  weight. A mean of per-text means gives each text the same weight. GRPO was published with per-answer means, and DAPO
  takes the mean over all tokens. Neither loss depends on how a batch is split into micro-batches, but the faulty mean
  does.
- Gradients are clipped after accumulation. Does the bug still matter? → Yes. Clipping rescales the whole gradient, and
  the weights of the tokens in it stay wrong.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, in_step, scenario

HINTS = (
    "Take one micro-batch with 4 tokens and one with 1 token. What weight does each token have in the faulty gradient?",
    (
        "Each token must have the weight 1/N, where N counts the labelled tokens of all ranks. The mean over ranks "
        "divides by `world` once more."
    ),
    "First reduce the count; the sum is `total`. Then add `grad_of_sum(W, x, y) * ... / total` for each micro-batch.",
)
RESULTS = ("grad", "the number of messages", "the count of numbers sent")


def made(rng, counts, length=5, d=2, k=3):
    """Return the inputs of all ranks; `counts[r][i]` tokens of micro-batch i of rank r have a label."""
    batches = []
    for own in counts:
        batches.append([])
        for count in own:
            y = -rng.integers(1, k + 1, length)
            y[rng.permutation(length)[:count]] = rng.integers(0, k, count)
            batches[-1].append([rng.normal(size=(length, d)), y])
    return {"W": rng.normal(size=(d, k)), "batches": batches}


@scenario(1, 2, 3, note="different counts")
def different(rng, size):
    return made(rng, [[4, 1], [2, 3], [1, 5]][:size])


@scenario(2, note="equal counts on each rank")
def equal_within(rng, size):
    return made(rng, [[4, 4], [1, 1]])


@scenario(3, note="different numbers of micro-batches")
def lengths(rng, size):
    return made(rng, [[3], [3, 3, 3], [3, 3]], 3)


@scenario(2, note="a micro-batch of padding")
def padding(rng, size):
    return made(rng, [[2, 0], [5, 3]])


@scenario(2, note="a rank with padding only")
def idle(rng, size):
    return made(rng, [[0], [2, 3]])


CASES = [different, equal_within, lengths, padding, idle]


def drive(candidate, W, batches):
    def program(rank, collective):
        def all_reduce(a):
            return collective(np.array(a, dtype=float))

        return candidate(W, batches[rank], all_reduce, len(batches))

    def combine(sent):
        if len({a.shape for a in sent}) > 1:
            raise ValueError(f"the ranks send shapes {[a.shape for a in sent]} in one all_reduce")
        return np.sum(sent, axis=0)

    results, rounds = in_step(program, [[rank] for rank in range(len(batches))], combine)
    return {
        "grad": np.stack(results),
        "the number of messages": max(2, len(rounds)),
        "the count of numbers sent": max(W.size + 1, sum(sent[0].size for sent in rounds)),
    }


def expected(W, batches):
    x = np.concatenate([x for own in batches for x, _ in own])
    y = np.concatenate([y for own in batches for _, y in own])
    x, y = x[y >= 0], y[y >= 0]

    def loss(W):
        z = engine.matmul(x, W)
        return (engine.logsumexp(z, axis=1) - z[np.arange(len(y)), y]).mean()

    (grad,) = gradient(loss, W)
    return {
        "grad": np.stack([grad] * len(batches)),
        "the number of messages": 2,
        "the count of numbers sent": W.size + 1,
    }


def grad_of_sum(W, x, y):
    """Return the gradient of the *sum* of the labelled tokens' losses."""
    z = x @ W
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    p[y < 0] = 0
    return x.T @ p


def bug_token_weighted_accumulation(W, batches, all_reduce, world):
    count = sum((y >= 0).sum() for _, y in batches)
    total = all_reduce(count)
    grad = np.zeros_like(W)
    for x, y in batches:
        grad += grad_of_sum(W, x, y) * world / total
    return all_reduce(grad) / world  # the mean over ranks, as in DDP


MISTAKES = [
    edit(
        "mean-of-means",
        "the mean of the micro-batches' means is the mean over all tokens",
        "Take micro-batches of 4 tokens and of 1 token. What weight does a token have in each of the two?",
        "* world / total -> / (y >= 0).sum() / len(batches)",
    ),
    edit(
        "mean-of-safe-means",
        "only a count of 0 is a problem",
        (
            "The NaN is gone. What weight does a token have in a micro-batch of 4 tokens, and what weight in a "
            "micro-batch of 1 token?"
        ),
        "* world / total -> / max(1, (y >= 0).sum()) / len(batches)",
    ),
    edit(
        "local-count",
        "this rank holds all the tokens",
        "One rank got short texts. What weight do its tokens have?",
        "all_reduce(count) -> max(1, count) * world",
    ),
    edit(
        "world-forgotten",
        "the sum over ranks is divided by `world` as well as by the number of all tokens",
        "By which two numbers does your code divide the sum of all tokens' gradients? Which one makes it a mean?",
        "* world / total -> / total",
    ),
    edit(
        "padding-counted",
        "every row of a micro-batch is a token",
        "Which rows have a label?",
        "(y >= 0).sum() for _, y in batches -> len(y) for _, y in batches",
    ),
    edit(
        "only-minus-1-is-padding",
        "a token of padding has the label -1",
        "Which labels mark padding according to the task?",
        "(y >= 0).sum() for _, y in batches -> (y != -1).sum() for _, y in batches",
    ),
    edit(
        "label-0-is-padding",
        "label 0 is padding",
        "Which labels mark padding according to the task?",
        "y >= 0 -> y > 0",
    ),
    edit(
        "padding-batch-counts-as-1",
        "a micro-batch of padding counts as one token",
        "A micro-batch has no labelled token. By how much does it change your count of all tokens?",
        "sum((y >= 0).sum() -> sum(max(1, (y >= 0).sum())",
    ),
    edit(
        "padding-rank-counts-as-1",
        "a rank with padding only counts as one token",
        "A rank has no labelled token. By how much does it change your count of all tokens?",
        "all_reduce(count) -> all_reduce(max(1, count))",
    ),
    edit(
        "batches-counted",
        "each micro-batch has the same weight",
        "Two micro-batches have 5 tokens and 1 token. How much does each contribute to a mean over tokens?",
        "* world / total -> / max(1, (y >= 0).sum())",
        "sum((y >= 0).sum() for _, y in batches) -> len(batches)",
        "all_reduce(grad) / world -> all_reduce(grad) / total",
    ),
    edit(
        "message-per-batch",
        "each micro-batch needs a message of its own",
        "The sum over ranks is linear. What can a rank add up before it sends anything?",
        "grad += ... -> grad += all_reduce(grad_of_sum(W, x, y)) / total",
        "return all_reduce(grad) / world -> return grad",
    ),
    edit(
        "gradient-not-reduced",
        "a rank's own gradient is the whole gradient",
        "Which tokens does the gradient of rank 0 contain in your code? Should all ranks return the same gradient?",
        "return all_reduce(grad) / world -> return grad / world",
    ),
    edit(
        "sum-of-local-means",
        "the means of the ranks add up",
        "Two ranks hold the same tokens. Should the gradient double when the second rank joins?",
        "all_reduce(count) -> max(1, count)",
        "* world / total -> / total",
        "return all_reduce(grad) / world -> return all_reduce(grad)",
    ),
    edit(
        "mean-over-busy-ranks",
        "each rank that has tokens has the same weight",
        "One rank has 5 tokens, and another has 1. How much does each contribute to a mean over tokens?",
        "all_reduce(count) -> max(1, count)",
        "* world / total -> / total",
        "return all_reduce(grad) / world -> return all_reduce(grad) / all_reduce(float(count > 0))",
    ),
    edit(
        "batches-divided-too",
        "the sum must still be divided by the number of micro-batches",
        "You divide by the number of all tokens. Is the result already a mean?",
        "* world / total -> * world / total / len(batches)",
    ),
    edit(
        "mean-of-busy-batches",
        "only the micro-batches with tokens count, and each counts the same",
        "Two micro-batches of a rank have 5 tokens and 1 token. What weight does a token have in each of the two?",
        "* world / total -> / max(1, (y >= 0).sum())",
        "return all_reduce(grad) -> return all_reduce(grad / max(1, sum((y >= 0).any() for _, y in batches)))",
    ),
    edit(
        "own-count-after-the-sum",
        "the sum over ranks must be divided by this rank's count",
        "The sum contains the tokens of all ranks. By which number of tokens does rank 0 divide in your code?",
        "all_reduce(count) -> max(1, count)",
        "* world / total -> / total",
        "return all_reduce(grad) / world -> return all_reduce(grad * total) / total",
    ),
    edit(
        "world-twice",
        "the sum over ranks must be divided by `world` twice",
        "You divide by the number of all tokens. Is the result already a mean?",
        "* world / total -> / world / total",
    ),
    edit(
        "world-kept",
        "DDP's division by `world` must be undone, although the code does not divide",
        "Follow one token through your code. By which numbers is its gradient multiplied and divided?",
        "return all_reduce(grad) / world -> return all_reduce(grad)",
    ),
]
