import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = [grad.copy() for grad in grads]
    bucket, filled = [], 0
    for i in reversed(range(len(grads))):
        if bucket and filled + grads[i].size > capacity:
            mean = all_reduce(np.concatenate([grads[j].ravel() for j in bucket])) / world_size
            at = 0
            for j in bucket:
                means[j] = mean[at : at + grads[j].size].reshape(grads[j].shape)
                at += grads[j].size
            bucket, filled = [], 0
        bucket.append(i)
        filled += grads[i].size
    return means
