# /// autodrill
# title = "Data-parallel gradients in buckets"
# kind = "program"
# difficulty = "medium"
# minutes = 14
# topics = ["distributed", "optim"]
# ///
"""In data-parallel training every rank has the same parameters. Each rank runs backward on its own part of the batch
and gets its own gradients. Before the step all ranks must hold the *mean* of the gradients over ranks. Your function
runs on every rank:

    ddp_bucket_allreduce(grads, capacity, all_reduce, world_size)

`grads` is the list of this rank's gradients, arrays in the order of the parameters. `all_reduce(buffer)` takes a 1-D
array, waits for all ranks, and returns the *sum* over ranks.

Every call of `all_reduce` has a latency, so send the gradients in buckets. A bucket is one buffer of joined gradients,
each flattened row by row, in the *reverse* order of the parameters, because backward finishes the last layer first. A
bucket takes the next gradient if the bucket then holds at most `capacity` numbers. A gradient with more than
`capacity` numbers gets a bucket of its own. Return the list of mean gradients, in the order and shapes of `grads`. Do
not change `grads`.
"""


def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):
    raise NotImplementedError
