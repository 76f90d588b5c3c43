import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means, buckets, room = [None] * len(grads), [], -1
    for i in reversed(range(len(grads))):
        if grads[i].size > room:
            buckets.append([])
            room = capacity
        buckets[-1].append(i)
        room -= grads[i].size
    for bucket in buckets:
        total = all_reduce(np.concatenate([grads[i].flatten() for i in bucket])) / world_size
        at = 0
        for i in bucket:
            n = np.prod(grads[i].shape)
            means[i] = total[at : at + n].reshape(grads[i].shape)
            at += n
    return means
