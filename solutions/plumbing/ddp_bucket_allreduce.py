"""A bucketed all-reduce fills its buckets with gradients from the last parameter to the first. It closes a bucket when
the next gradient no longer fits. The gradients of a bucket are flattened, joined, reduced, divided and split again.
Each rank does the same on the same shapes, so the buckets agree without communication.

The result is the mean, not the sum. Each rank's loss is a mean over its own part of the batch. If the parts have equal
sizes, the mean of these means is the mean of the whole batch. With a sum, the gradient would depend on the number of
ranks. The right learning rate of plain gradient descent would then depend on this number too.

The order is reversed because backward finishes the gradients of the last layers first. The first bucket can be sent
while backward still computes the rest. This overlap hides communication. Buckets help because every message has a
latency, whatever its size, and a network can have hundreds of small tensors, such as biases.

Cost: one latency per bucket. All buckets together carry S bytes, the size of the gradients. In a ring of R ranks, each
rank sends 2·S·(R-1)/R bytes. This amount is less than 2·S, however large R is. The joined buckets are a second copy of
the gradients, unless the gradients are views of the buckets from the start.

PyTorch: `DistributedDataParallel` registers a hook on each parameter's gradient accumulation. The hook copies the
gradient into its bucket and divides it by the number of ranks. `DistributedDataParallel` starts the all-reduce of a
complete bucket while backward continues. By default the first backward uses one bucket per dtype. Later backwards use a
first bucket of 1 MiB and then buckets of 25 MiB, in the order in which the gradients arrived. Unlike here, a bucket
closes once it has *reached* its size. Ten matrices of 4 MiB are therefore sent in buckets of 4, 28 and 8 MiB. A
parameter without a gradient leaves its bucket open, and the next forward raises `Expected to have finished reduction in
the prior iteration`. `find_unused_parameters=True` handles this case.

Asked next:

- You accumulate gradients over four micro-batches. When do you reduce? → Reduce after the last micro-batch. The mean
  over ranks is linear, so reducing the accumulated sum gives the same result up to rounding, with a quarter of the
  traffic. In PyTorch the first three micro-batches run under `no_sync()`.
- Rank r has n_r rows, and n_r differs between ranks. What goes wrong, and what is the remedy? → The mean of the ranks'
  means is not the mean over all rows, because a row counts more on a rank with few rows. Multiply the loss of each of
  the R ranks by R·n_r/Σn before backward. Computing Σn takes an all-reduce of one number.
- Gradients are clipped by their global norm. Does clipping happen before or after the all-reduce? → Clipping happens
  after the all-reduce. Every rank then holds the same gradients, computes the same norm and clips by the same factor,
  without another message. If clipping came first, each rank would scale by its own factor. In general the mean would
  then no longer point along the batch's gradient.
- The optimiser's state is split over R ranks, as in ZeRO. What replaces the all-reduce? → An all-reduce is a
  reduce-scatter followed by an all-gather. Stop after the reduce-scatter, when each rank holds the summed gradient of
  its share of the parameters. Each rank updates its share, and an all-gather distributes the new parameters. If
  gradients and parameters have the same dtype, these two collectives send as many bytes as the all-reduce. Each rank
  holds 1/R of the state.
"""

import numpy as np

from autodrill.drills import in_step, mistake, scenario

HINTS = (
    "Which layer's gradients are ready first? And what does a very short message cost?",
    (
        "Fill buckets from the last parameter to the first, reduce each as one flat array, and divide by the number "
        "of ranks."
    ),
    "First make a list of buckets, each a list of indices. For each bucket, join the gradients, reduce, and split.",
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


# If the inputs of a layer are all inactive on one rank, its gradients are 0 there. The other ranks wait for them.
@scenario(2, note="a bucket of zeros on one rank")
def idle(rng, size):
    given = made(rng, size, [(2,), (3,), (2, 2)], 4)
    given["grads"][0][1][...] = 0
    return given


@scenario(1, note="one rank")
def alone(rng, size):
    return made(rng, size, [(2,), (3,)], 3)


CASES = [mixed, oversized, full, single, idle, alone]
EQUIVALENT = {
    "off by one: ([], 0) -> ...": "the first gradient opens a bucket, whatever the count starts at",
    "factor: [part.reshape(grads[i].shape) ...": "the surplus parts are never read",
}


def drive(candidate, grads, capacity):
    ranks = len(grads)
    for own in grads:  # gradients of several axes are transposed in memory, as that of a transposed weight is
        own[:] = [np.asarray(a, order="F") for a in own]

    def program(rank, all_reduce):
        return [np.array(a) for a in candidate(grads[rank], capacity, all_reduce, ranks)]

    results, rounds = in_step(program, [[rank] for rank in range(ranks)], sum)
    flat = [a.ravel() for own in results for a in own]
    # Dividing before the sum, as PyTorch does, is as correct as dividing after it.
    whole, total = sum(np.abs(a).sum() for own in grads for a in own), sum(np.abs(b).sum() for bs in rounds for b in bs)
    scale = ranks if np.isclose(total * ranks, whole) else 1
    sent = [np.asarray(buffer) * scale for buffers in rounds for buffer in buffers]
    return {
        "gradients": np.concatenate(flat),
        "messages": np.concatenate(sent) if sent else np.zeros(0),
        "sizes": [float(b.size) for b in sent] + [float(n) for own in results for a in own for n in (a.ndim, *a.shape)],
    }


# This loop forms the buckets from the sizes alone. Their contents are compared element by element, on every rank.
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
        "sizes": [float(len(b)) for b in sent] + [float(n) for own in grads for a in own for n in (a.ndim, *a.shape)],
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
    parts = np.split(total, ends[:-1])
    return [part.reshape(grads[i].shape) for i, part in zip(bucket, parts)]


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "sum-not-mean",
    "the result is the sum over ranks",
    "Each rank's loss is already a mean. Should the learning rate depend on the number of ranks?",
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
    "Backward runs from the loss to the input. Which gradients could be sent first?",
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
    "A bias of 64 numbers costs as much latency as a matrix. How many messages does your code send?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for i in reversed(range(len(grads))):
        (total,) = reduced(grads, [i], all_reduce)
        means[i] = total / world_size
    return means


@mistake(
    "bucket-over-capacity",
    "a bucket closes only once it is full",
    "Suppose the next gradient no longer fits. Does your code notice this before or after it adds that gradient?",
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
    "a bucket is sent only when the next gradient does not fit",
    "The last gradient is in its bucket. What makes your code send that bucket?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [grad.copy() for grad in grads]
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity)[:-1]:
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "one-bucket",
    "all gradients travel in one message",
    "Which argument limits the size of a message? When could the first message leave?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    bucket = list(reversed(range(len(grads))))
    for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
        means[i] = total / world_size
    return means


@mistake(
    "offset-not-advanced",
    "every gradient starts at the beginning of its bucket",
    "A bucket holds two gradients. At which index of the reduced buffer does the second gradient start?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        total = all_reduce(np.concatenate([grads[i].ravel() for i in bucket])) / world_size
        for i in bucket:
            means[i] = total[: grads[i].size].reshape(grads[i].shape)
    return means


@mistake(
    "divided-twice",
    "the gradients are divided by the number of ranks before the sum and after it",
    "Let every rank have the gradient 1. What must the result be?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        shares = [grad / world_size for grad in grads]
        for i, total in zip(bucket, reduced(shares, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "skips-zeros",
    "a bucket of zeros need not be sent",
    "The gradients of a bucket are 0 on one rank only. What do the other ranks wait for, and what is the mean?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [grad.copy() for grad in grads]
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        if any(np.any(grads[i]) for i in bucket):
            for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
                means[i] = total / world_size
    return means


@mistake(
    "cut-into-pieces",
    "a gradient larger than a bucket is sent in pieces",
    "What does the task say about a gradient with more than `capacity` numbers?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    def in_pieces(buffer):
        return np.concatenate([all_reduce(buffer[k : k + capacity]) for k in range(0, buffer.size, capacity)])

    means = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        for i, total in zip(bucket, reduced(grads, bucket, in_pieces)):
            means[i] = total / world_size
    return means


@mistake(
    "just-full-is-too-full",
    "a bucket must hold fewer numbers than its capacity",
    "A bucket of capacity 4 holds 2 numbers, and the next gradient has 2. Does the gradient still fit?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity - 1):
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "forward-order-within-a-bucket",
    "only the buckets come in reverse order, not the gradients within one",
    "Which gradient of a bucket does backward finish first? Where in the buffer must that gradient be?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        for i, total in zip(sorted(bucket), reduced(grads, sorted(bucket), all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "oversized-overtakes",
    "a gradient larger than a bucket may be sent before the open bucket",
    "A bucket is open when a gradient larger than a bucket arrives. Which of the two must be sent first?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    order = [*reversed(range(len(grads)))]
    alone = [i for i in order if grads[i].size > capacity]
    for bucket in buckets_of(grads, [i for i in order if i not in alone], capacity):
        first = [i for i in alone if i > bucket[-1]]
        alone = alone[len(first) :]
        for one in [*([i] for i in first), bucket]:
            for i, total in zip(one, reduced(grads, one, all_reduce)):
                means[i] = total / world_size
    for i in alone:
        means[i] = reduced(grads, [i], all_reduce)[0] / world_size
    return means


@mistake(
    "oversized-last",
    "gradients larger than a bucket are sent after all buckets",
    "Backward finishes a large gradient early. What does this gradient wait for in your code?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    order = [*reversed(range(len(grads)))]
    small = [i for i in order if grads[i].size <= capacity]
    buckets = [*buckets_of(grads, small, capacity), *([i] for i in order if i not in small)]
    for bucket in buckets:
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "oversized-joins",
    "a gradient larger than a bucket goes into the open bucket",
    "A bucket is open when a gradient larger than a bucket arrives. How many gradients may its bucket hold?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means, buckets, filled = [None] * len(grads), [], 0
    for i in reversed(range(len(grads))):
        if not buckets or (filled + grads[i].size > capacity and (grads[i].size <= capacity or filled >= capacity)):
            buckets.append([])
            filled = 0
        buckets[-1].append(i)
        filled += grads[i].size
    for bucket in buckets:
        for i, total in zip(bucket, reduced(grads, bucket, all_reduce)):
            means[i] = total / world_size
    return means


@mistake(
    "results-in-bucket-order",
    "the means are returned in the order in which they were sent",
    "The last parameter is sent first. At which index of the returned list must its mean be?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = []
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        means += [total / world_size for total in reduced(grads, bucket, all_reduce)]
    return means


@mistake(
    "memory-order",
    "a gradient is flattened in the order of its memory",
    "A gradient is transposed in memory. In which order does your code flatten it, and in which order read it back?",
)
def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [None] * len(grads)
    flat = [grad.ravel(order="K") for grad in grads]
    for bucket in buckets_of(grads, reversed(range(len(grads))), capacity):
        for i, total in zip(bucket, reduced(flat, bucket, all_reduce)):
            means[i] = total.reshape(grads[i].shape) / world_size
    return means
