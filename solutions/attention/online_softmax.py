"""Softmax subtracts the largest score of a row, so that no exponential overflows. But this maximum is known only after
the last block. So carry three quantities per row: a maximum, and two sums of exponentials relative to this maximum.

    m      the largest score seen so far
    total  Σ_j exp(s_j - m)          over the keys seen so far
    acc    Σ_j exp(s_j - m) v_j      over the keys seen so far

A new block may raise the maximum from m to m'. Each exponential in the two sums must then be relative to m'. Since
exp(s - m') = exp(s - m) · exp(m - m'), one factor per row corrects both sums:

    total ← total · exp(m - m') + Σ exp(s - m')
    acc   ← acc · exp(m - m') + exp(s - m') v

The factor is at most 1, so nothing overflows. At the end, out is acc/total, because both sums are relative to the same
maximum. The log-sum-exp is m + log total.

The start needs care. If m starts at -∞ and a query sees no key of the first block, then m' is -∞ too, and exp(m - m')
is exp(-∞ + ∞) = NaN. If m starts at the most negative finite number instead, then exp(-∞ - m) is 0 and exp(m - m) is 1.
Both sums stay 0. The first finite score then multiplies these zeros by exp(m - m') = 0.

Cost: one pass over the scores. Memory holds one block and e + 2 numbers per row. A block takes one exponential per
score and one per row. The direct computation reads the scores three times, for the maximum, the sum and the quotient,
or it holds the whole matrix.

PyTorch: `torch.compile` has this algorithm for the maximum and the sum of a row
(`torch._inductor.config.online_softmax`, on by default). The fused CPU kernel of `scaled_dot_product_attention` also
carries the weighted sum of the values. Its maximum starts at -∞. While the maximum of a row is -∞, the kernel writes
zeros instead of exponentials. The recurrence for m and total is due to Milakov and Gimelshein (2018). Rabe and Staats
(2021) added the values, and FlashAttention (2022) turned the computation into one GPU kernel.

Asked next:

- Which number per row must the forward save for the backward? → Only lse must be saved. The formula p = exp(s - lse)
  then recovers the probabilities of any block, in any order, without a running maximum.
- In which order may the blocks come? → The blocks may come in any order, and the results are equal up to rounding. The
  triples (m, total, acc) of two sets of keys can be combined: take the larger m, rescale the sums of both triples to
  it, and add these sums. So blocks may also be processed in parallel and merged in a tree.
- Can the division by total always wait until the end? → Yes. Each block only needs sums relative to one maximum. The
  first version of FlashAttention divided after every block, and FlashAttention-2 divides once at the end.
- The scores are in bfloat16. Which arrays should have more precision? → The sums total and acc need more precision.
  They add up terms of thousands of keys, and bfloat16 keeps 8 bits, so 256 + 1 is 256. The maximum m is one of the
  scores, so it is exact.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import Scales, edit, scenario

HINTS = (
    "You have Σ exp(s - m) and then see a larger score m'. By which factor does every old exponential change?",
    (
        "Keep the maximum, the sum of the exponentials and the weighted sum of the values for each row. Rescale both "
        "sums by exp(old maximum - new maximum) before you add a block."
    ),
    (
        "Write `total = total * shrink + ...`, and update the weighted sum of the values in the same way. Start the "
        "maximum at `np.finfo(float).min`."
    ),
)
RESULTS = ("out", "lse")


def drawn(rng, size, *, n=3, e=2, block=3, scale=2.0, times=1):
    return {"scores": rng.normal(0, scale, (n, size)), "v": rng.normal(size=(size, e)), "block": block, "times": times}


@scenario(1, 3, 5, 9, note="blocks of up to three keys")
def threes(rng, size):
    return drawn(rng, size)


@scenario(2, 4, note="blocks of one key")
def ones(rng, size):
    return drawn(rng, size, n=2, e=3, block=1)


@scenario(4, note="a single block")
def single(rng, size):
    return drawn(rng, size, block=9)


@scenario(3, 7, note="scores of ±1000")
def far(rng, size):
    made = drawn(rng, size, block=2)
    made["scores"] += np.array([[-1000.0], [1000.0], [0.0]])
    made["scores"][2, -1] = 1000.0
    return made


@scenario(5, 8, note="blocks that some queries do not see")
def hidden(rng, size):
    made = drawn(rng, size, n=4, block=2)
    made["scores"][np.arange(size) < np.array([[0], [1], [size - 2], [size - 1]])] = -np.inf
    return made


@scenario(400, note="blocks whose memory is measured")
def weighed(rng, size):
    return drawn(rng, size, n=50, e=8, block=20)


# A vector of n numbers for each block takes 80 KiB in all.
@scenario(400, note="small blocks whose memory is measured")
def small_blocks(rng, size):
    return drawn(rng, size, n=50, e=8, block=2)


# 100 rows, so that a loop over rows and blocks stays within the bound on time.
@scenario(250, note="many blocks", memory=4 << 20, because="the scores of many blocks are kept")
def many(rng, size):
    return drawn(rng, size, n=100, e=1, block=size, times=120)


CASES = [threes, ones, single, far, hidden, weighed, small_blocks, many]
EQUIVALENT = {
    "constant: (np.finfo(float).min, 0.0, 0.0) -> ...": "the first finite score multiplies the initial sums by 0",
}


# All blocks are yielded `times` times, so that small arguments give many scores. No two blocks are equal: a candidate
# could keep equal blocks once, and count them.
#
# While a block is requested, the two latest blocks may be alive. Large cases also weigh the process, because copies
# of blocks are not counted. Two blocks, exponentials of their shape, and the sums, take less than six blocks.
def drive(candidate, scores, v, block, times):
    import contextlib
    import weakref

    class TooManyBlocksError(Exception):
        pass

    def blocks():
        made = []
        for i in range(times):
            for j in range(0, len(v), block):
                made = [refs for refs in made if any(ref() is not None for ref in refs)]
                if len(made) > 2:
                    raise TooManyBlocksError(f"{len(made)} blocks are alive when the next one is requested")
                if large and scales.bytes > most:
                    raise TooManyBlocksError(f"{scales.bytes} bytes are kept, and a block takes {weight}")
                pair = scores[:, j : j + block] + i / times, v[j : j + block].copy()
                made.append([weakref.ref(array) for array in pair])
                yield pair
                del pair

    large, weight = scores.size > 10_000, scores[:, :block].nbytes + v[:block].nbytes
    most = 6 * weight + 4 * len(scores) * (v.shape[1] + 2) * 8 + 4096  # copies of the sums, and small objects
    with Scales() if large else contextlib.nullcontext() as scales:
        out, lse = candidate(blocks())
    return {"out": out, "lse": lse}


def expected(scores, v, block, times):
    lse = engine.logsumexp(scores, axis=1)
    return {"out": np.exp(scores - lse[:, None]) @ v, "lse": lse + engine.logsumexp(np.arange(times) / times)}


def online_softmax(blocks):
    top, total, acc = np.finfo(float).min, 0.0, 0.0
    for s, v in blocks:
        higher = np.maximum(top, s.max(axis=1))
        shrink = np.exp(top - higher)
        e = np.exp(s - higher[:, None])
        total = total * shrink + e.sum(axis=1)
        acc = acc * shrink[:, None] + e @ v
        top = higher
    return acc / total[:, None], top + np.log(total)


MISTAKES = [
    edit(
        "no-rescale-o",
        "the weighted sum of the values stays valid when the maximum rises",
        "To which maximum are the exponentials in your weighted sum relative?",
        "acc * shrink[:, None] -> acc",
    ),
    edit(
        "no-rescale-l",
        "the sum of the exponentials stays valid when the maximum rises",
        "To which maximum are the exponentials in your sum relative?",
        "total * shrink -> total",
    ),
    edit(
        "never-rescaled",
        "sums relative to different maxima can be added",
        (
            "The maxima of two blocks are 0 and 10. The two keys with these scores both have exp(s - m) = 1. Should "
            "they have the same weight?"
        ),
        "total * shrink -> total",
        "acc * shrink[:, None] -> acc",
    ),
    edit(
        "not-normalised",
        "the weighted sum is already the output",
        "By which number must the exponentials be divided so that they sum to 1?",
        "acc / total[:, None] -> acc",
    ),
    edit(
        "inf-minus-inf",
        "the maximum may start at -inf",
        "A query sees no key of the first block. What is exp(old maximum - new maximum) for this query?",
        "np.finfo(float).min -> -np.inf",
    ),
    edit(
        "lse-without-maximum",
        "the logarithm of the shifted sum is the log-sum-exp",
        "Add 5 to all scores. By how much does lse grow, and by how much does your result grow?",
        "top + np.log(total) -> np.log(total)",
    ),
    edit(
        "rescale-inverted",
        "the old sums grow when the maximum rises",
        "A new score is far above all others. What share of the softmax should the old keys keep?",
        "np.exp(top - higher) -> np.exp(np.where(top > -1e300, higher - top, 0))",
    ),
    edit(
        "no-shift",
        "exp of every score is finite",
        "What is exp(1000) in floating point?",
        "np.maximum(top, s.max(axis=1)) -> np.zeros(len(s))",
        "np.finfo(float).min -> 0.0",
    ),
    edit(
        "maximum-starts-at-0",
        "0 is a safe start for the maximum",
        "All scores of a query are -1000. Which maximum does your code find, and what do the exponentials sum to?",
        "np.finfo(float).min -> 0.0",
    ),
    edit(
        "first-maximum",
        "the maximum of the first block is enough for all blocks",
        (
            "The first block has scores near 0, and a later score is 1000. What is the exponential of this score "
            "after your shift?"
        ),
        "higher = ... -> higher = s.max(axis=1) if np.ndim(top) == 0 else top",
    ),
    edit(
        "materialised",
        "many blocks may be in memory at once",
        "How many blocks does your code hold at once? What do you need of a block after you have used it?",
        "for s, v in blocks: -> s, v = map(list, zip(*blocks)); s, v = np.concatenate(s, 1), np.concatenate(v)\n"
        "    for s, v in [(s, v)]:",
    ),
    edit(
        "blocks-averaged",
        "the output is the mean of the outputs of the blocks",
        "One block holds a score of 10, and the scores of all other blocks are 0. Should all blocks weigh the same?",
        "top, total, acc = np.finfo(float).min, 0.0, 0.0 -> top, total, acc, count = np.finfo(float).min, 0.0, 0.0, 0",
        "acc * shrink[:, None] + e @ v -> acc + e @ v / e.sum(axis=1)[:, None]; count += 1",
        "acc / total[:, None] -> acc / count",
    ),
]
