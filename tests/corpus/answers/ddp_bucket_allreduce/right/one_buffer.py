import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    means = {}

    def flush(bucket):
        buffer = np.empty(sum(grads[i].size for i in bucket))
        at = 0
        for i in bucket:
            buffer[at : at + grads[i].size] = grads[i].flat
            at += grads[i].size
        buffer = all_reduce(buffer) / world_size
        at = 0
        for i in bucket:
            means[i] = buffer[at : at + grads[i].size].reshape(grads[i].shape)
            at += grads[i].size

    bucket = []
    for i in range(len(grads) - 1, -1, -1):
        if bucket and sum(grads[j].size for j in bucket) + grads[i].size > capacity:
            flush(bucket)
            bucket = []
        bucket.append(i)
    if bucket:
        flush(bucket)
    return [means[i] for i in range(len(grads))]
