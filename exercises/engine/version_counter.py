# /// autodrill
# title = "Version counters for saved tensors"
# kind = "program"
# difficulty = "hard"
# minutes = 12
# topics = ["inplace", "engine"]
# requires = ["backward_engine"]
# entry = "Tensor"
# ///
"""An engine saves tensors for backward by reference. If a saved tensor is then changed in
place, backward computes with the wrong numbers, and no error is raised. Build a check
that raises an error.

`Tensor(data)` wraps a NumPy array without copying it. `t.add_(x)` adds a number or an
array in place. `t.view(s)` is a Tensor of `t.data[s]`, for a slice `s`. `t.detach()` is
a Tensor that shares the memory of `t`. `t.save()` returns a handle of any kind.
`t.load(handle)` returns the array that was saved: the same memory, not a copy. If any
tensor has written to that memory since the save, `load` raises a RuntimeError.
`t.version` counts the writes to the memory of `t`.
"""


class Tensor:
    def __init__(self, data):
        raise NotImplementedError
