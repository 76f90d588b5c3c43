import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    buckets, filled = [], 0
    for i in reversed(range(len(grads))):
        if not buckets or filled + grads[i].size >= capacity:
            buckets.append([])
            filled = 0
        buckets[-1].append(i)
        filled += grads[i].size
    means = [None] * len(grads)
    for bucket in buckets:
        mean = all_reduce(np.concatenate([grads[i].ravel() for i in bucket])) / world_size
        at = 0
        for i in bucket:
            means[i] = mean[at : at + grads[i].size].reshape(grads[i].shape)
            at += grads[i].size
    return means
