import numpy as np


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    """PyTorch's DDP divides before it sums: the sum over ranks is the mean at once."""
    buckets, room = [], 0
    for i, grad in reversed(list(enumerate(grads))):
        if not buckets or grad.size > room:
            buckets.append([])
            room = capacity
        buckets[-1].append((i, grad))
        room -= grad.size
    answer = [None] * len(grads)
    for bucket in buckets:
        mean = all_reduce(np.concatenate([grad.reshape(-1) / world_size for _, grad in bucket]))
        for i, grad in bucket:
            part, mean = mean[: grad.size], mean[grad.size :]
            answer[i] = part.reshape(grad.shape)
    return answer
