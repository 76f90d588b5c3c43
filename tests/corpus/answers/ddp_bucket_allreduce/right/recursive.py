import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    if not grads:
        return []
    first = len(grads) - 1
    while first and sum(grad.size for grad in grads[first - 1 :]) <= capacity:
        first -= 1
    joined = np.hstack([grad.ravel() for grad in grads[first:][::-1]])
    sums = all_reduce(joined)
    mine = []
    for grad in grads[first:]:
        sums, part = np.split(sums, [len(sums) - grad.size])
        mine.append(np.reshape(part / world_size, grad.shape))
    return ddp_bucket_allreduce(grads[:first], capacity, all_reduce, world_size) + mine
