"""Walk the parameters from the last to the first; close the bucket when the next gradient no longer fits; flatten,
join, reduce, divide, cut apart again. Each rank does the same on the same shapes, so the buckets agree without a word.

The mean, not the sum: each rank's loss is a mean over its own part of the batch, and the mean of means over equal
parts is the gradient of the whole batch's mean. With a sum the gradient, and with it the right learning rate of plain
descent, would depend on how many ranks there are.

Reverse order because that is roughly the order in which backward finishes: the first bucket can travel while the rest
of backward still computes, which hides communication. Buckets because a message has a latency whatever its size, and a
network can have hundreds of small tensors, such as biases.

Cost: a latency for each bucket, and for all of them together the bytes S of the gradients: a ring of R ranks has each
send 2·S·(R-1)/R, nearly 2·S however large R is. The joined buckets are a second copy of the gradients, unless the
gradients are views of the buckets to begin with.

PyTorch: `DistributedDataParallel` hooks the accumulation of each parameter's gradient, divides while it copies into
the bucket, and starts the all-reduce of a bucket that is complete while backward goes on. By default the first
backward uses one bucket for each dtype; the later ones have a first of 1 MiB and then 25 MiB, in the order in which
gradients came in, and unlike ours a bucket is closed once it has *reached* its size: ten matrices of 4 MiB travel as
4, 28 and 8 MiB. A parameter that got no gradient leaves its bucket open, and the next forward raises `Expected to have
finished reduction in the prior iteration`; `find_unused_parameters=True` is for that.

Asked next:

- You accumulate gradients over four micro-batches. When do you reduce? → After the last: the mean over ranks is
  linear, so reducing the accumulated sum gives the same but for rounding, with a quarter of the traffic. In PyTorch
  the first three run under `no_sync()`.
- The ranks have parts of different size, n_r rows. What goes wrong, and what is the remedy? → The mean of means is not
  the mean: a row of a small part counts more. Multiply each rank's loss by R·n_r/Σn before backward; Σn is one number
  to reduce.
- Gradients are clipped by their global norm. Before the all-reduce or after? → After. Then every rank holds the same
  gradients, so the same norm, and clips alike without another message; before, each would scale by its own factor, and
  the mean would in general no longer point along the batch's gradient.
- The optimiser's state is to be split over the ranks, as in ZeRO. What becomes of the all-reduce? → An all-reduce is a
  reduce-scatter and an all-gather. Stop after the first, so each rank holds the summed gradient of its share, step
  that share, and gather the new parameters: the same bytes, if both have one dtype, and 1/R of the state.
"""

import numpy as np

from autodrill.drills import in_step, mistake, scenario

HINTS = (
    "Which layer's gradients are ready first? And what does a message cost that is very short?",
    "Fill buckets from the last parameter to the first, reduce each as one flat array, divide by the number of ranks.",
    "Make a list of lists of indices first; then join, reduce, and cut apart at the sizes, for each.",
)
RESULTS = ("gradients", "messages", "sizes")


def made(rng, ranks, shapes, capacity):
    grads = [[rng.normal(size=shape) for shape in shapes] for _ in range(ranks)]
    return {"grads": grads, "capacity": capacity}


@scenario(3, note="three ranks, mixed shapes")
def mixed(rng, size):
    return made(rng, size, [(3,), (2, 2), (5,), ()], 6)


@scenario(2, note="a gradient larger than a bucket")
def oversized(rng, size):
    return made(rng, size, [(1,), (3, 3), (2,), (1,), (5,)], 4)


@scenario(2, note="buckets that are just full")
def full(rng, size):
    return made(rng, size, [(2,), (2, 1), (1,), (3,)], 4)


@scenario(2, note="one bucket for all")
def single(rng, size):
    return made(rng, size, [(2, 2), (3,), (1,), (2, 3)], 100)


@scenario(1, note="one rank")
def alone(rng, size):
    return made(rng, size, [(2,), (3,)], 3)


CASES = [mixed, oversized, full, single, alone]
EQUIVALENT = {
    "off by one: ([], 0) -> ...": "the first gradient opens a bucket, whatever was filled before",
    "factor: [part.reshape(grads[i].shape) ...": "what is too many is never looked at",
}


def drive(candidate, grads, capacity):
    ranks = len(grads)

    def program(own, all_reduce):
        return [np.array(a) for a in candidate(own, capacity, all_reduce, ranks)]

    results, rounds = in_step(program, [[own] for own in grads], sum)
    flat = [a.ravel() for own in results for a in own]
    # Dividing before the sum, as PyTorch does, is as right as dividing after it.
    whole, total = sum(np.abs(a).sum() for own in grads for a in own), sum(np.abs(b).sum() for bs in rounds for b in bs)
    scale = ranks if np.isclose(total * ranks, whole) else 1
    sent = [np.asarray(buffer) * scale for buffers in rounds for buffer in buffers]
    return {
        "gradients": np.concatenate(flat),
        "messages": np.concatenate(sent) if sent else np.zeros(0),
        "sizes": [float(buffer.size) for buffer in sent] + [float(n) for own in results for a in own for n in a.shape],
    }


# The buckets as a fold over sizes; what they carry is compared element by element, on every rank.
def expected(grads, capacity):
    buckets, room = [], -1
    for i in reversed(range(len(grads[0]))):
        size = grads[0][i].size
        if size > room:
            buckets.append([])
            room = capacity
        buckets[-1].append(i)
        room -= size
    sent = [np.concatenate([own[i].ravel() for i in bucket]) for bucket in buckets for own in grads]
    means = [np.mean([own[i] for own in grads], axis=0).ravel() for i in range(len(grads[0]))]
    return {
        "gradients": np.concatenate(means * len(grads)),
        "messages": np.concatenate(sent),
        "sizes": [float(len(buffer)) for buffer in sent] + [float(n) for own in grads for a in own for n in a.shape],
    }


def buckets_of(grads, order, capacity):
    buckets, filled = [], 0
    for i in order:
        if not buckets or filled + grads[i].size > capacity:
            buckets.append([])
            filled = 0
        buckets[-1].append(i)
        filled += grads[i].size
    return buckets


def reduced(grads, bucket, all_reduce):
    total = all_reduce(np.concatenate([grads[i].ravel() for i in bucket]))
    ends = np.cumsum([grads[i].size for i in bucket])
    return [part.reshape(grads[i].shape) for i, part in zip(bucket, np.split(total, ends[:-1]))]


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "sum-not-mean",
    "the gradients of all ranks add up",
    "Each rank's loss is a mean already. Must the learning rate depend on how many ranks there are?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    sums = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            sums[i] = total
    return sums


@mistake(
    "forward-order",
    "buckets are filled in the order of the parameters",
    "Backward runs from the loss to the input. Which gradients could be on their way first?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for bucket in buckets_of(grads, range(len(grads)), capacity):
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "one-per-tensor",
    "every gradient is a message of its own",
    "A bias of 64 numbers costs as much latency as a matrix. How many messages are yours?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for i in reversed(range(len(grads))):
        (total,) = reduced(grads, [i], all_reduce)
        means[i] = total / world_size
    return means


@mistake(
    "bucket-over-capacity",
    "a bucket is closed once it is full",
    "The next gradient does not fit any more: is that seen before or after it is put in?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means, buckets, filled = [None] * len(grads), [[]], 0
    for i in reversed(range(len(grads))):
        if filled >= capacity:
            buckets.append([])
            filled = 0
        buckets[-1].append(i)
        filled += grads[i].size
    for bucket in buckets:
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "last-bucket-kept",
    "a bucket is sent when the next gradient does not fit",
    "The last gradient is in its bucket. What makes that bucket go?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [grad.copy() for grad in grads]
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity)[:-1]:
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means
