import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    def flush(bucket):
        total = all_reduce(np.concatenate([grads[i].ravel() for i in bucket])) / world_size
        for i in bucket:
            grads[i][...] = total[: grads[i].size].reshape(grads[i].shape)
            total = total[grads[i].size :]

    bucket, filled = [], 0
    for i in reversed(range(len(grads))):
        if bucket and filled + grads[i].size > capacity:
            flush(bucket)
            bucket, filled = [], 0
        bucket.append(i)
        filled += grads[i].size
    flush(bucket)
    return grads
