import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    buckets, room = [], 0
    for i in reversed(range(len(grads))):
        if not buckets or grads[i].size > room:
            buckets.append([])
            room = capacity
        buckets[-1].append(i)
        room -= grads[i].size
    means = [None] * len(grads)
    for bucket in buckets:
        mean = all_reduce(np.concatenate([grads[i].ravel() for i in bucket])) / len(buckets)
        at = 0
        for i in bucket:
            means[i] = mean[at : at + grads[i].size].reshape(grads[i].shape)
            at += grads[i].size
    return means
