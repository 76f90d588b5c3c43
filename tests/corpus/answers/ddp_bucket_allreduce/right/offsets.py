import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    out = [None] * len(grads)
    bucket, count = [], 0

    def flush():
        nonlocal bucket, count
        if not bucket:
            return
        buf = np.concatenate([grads[i].reshape(-1) for i in bucket])
        buf = all_reduce(buf) / world_size
        off = 0
        for i in bucket:
            n = grads[i].size
            out[i] = buf[off : off + n].reshape(grads[i].shape)
            off += n
        bucket, count = [], 0

    for i in range(len(grads) - 1, -1, -1):
        if bucket and count + grads[i].size > capacity:
            flush()
        bucket.append(i)
        count += grads[i].size
    flush()
    return out
