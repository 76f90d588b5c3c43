import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means, bucket, filled = [None] * len(grads), [], 0

    def flush():
        total = all_reduce(np.concatenate([grads[i].ravel() for i in bucket])) / world_size
        at = 0
        for i in bucket:
            means[i] = total[at : at + grads[i].size].reshape(grads[i].shape)
            at += grads[i].size

    for i in reversed(range(len(grads))):
        if filled + grads[i].size > capacity:
            flush()
            bucket, filled = [], 0
        bucket.append(i)
        filled += grads[i].size
    flush()
    return means
