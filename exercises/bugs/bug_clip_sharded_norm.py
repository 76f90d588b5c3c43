# /// autodrill
# title = "Clipping when gradients are sharded"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 8
# topics = ["distributed", "optim"]
# requires = ["bug_zero_grad"]
# ///
"""A model is split over ranks. `sharded` is the list of gradients of the parameters that this rank holds alone. Ranks
may hold different numbers of such parameters. `replicated` is the list of gradients of the parameters that all ranks
hold, such as those of norm layers. These gradients are already the same on all ranks. A colleague added clipping by the
global norm. On one rank the clipping works. On several ranks, the copies of the replicated parameters drift apart.

Repair `bug_clip_sharded_norm`, which runs on every rank. The global norm is the norm of the gradient of the whole
model, in which each parameter counts once. Let c be `max_norm` divided by the sum of the norm and 1e-6. Scale every
gradient by min(1, c). Return the norm before clipping, and the two lists of new gradients in the order of the
arguments.

`all_reduce(a)` takes an array or a number, waits for all ranks, and returns the elementwise sum over ranks. Messages
are graded: call `all_reduce` at most once on each rank, and pass it at most one number. All gradients are finite.
Either list may be empty. Do not change the arguments.
"""

import numpy as np


def bug_clip_sharded_norm(sharded, replicated, max_norm, all_reduce):
    norm = np.sqrt(sum((a * a).sum() for a in sharded + replicated))
    scale = min(1, max_norm / (norm + 1e-6))
    return norm, [a * scale for a in sharded], [a * scale for a in replicated]
