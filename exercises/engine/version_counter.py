# /// autodrill
# title = "Version counters for saved tensors"
# kind = "program"
# difficulty = "hard"
# minutes = 12
# topics = ["in-place", "views", "saved values"]
# requires = ["backward_engine"]
# entry = "Tensor"
# ///
"""An engine saves tensors for backward by reference. If somebody then writes to one in place, backward would compute
with the wrong numbers and nobody would know. Build the check.

`Tensor(data)` wraps a NumPy array, without copying it. `t.add_(x)` adds in place. `t.view(s)` is a Tensor of
`t.data[s]`, s a slice; `t.detach()` is a Tensor of the same memory. `t.save()` returns a handle, of whatever kind, and
`t.load(handle)` the array that was saved, the same memory and no copy, or raises a RuntimeError if that memory was
written to since, through whichever tensor. `t.version` counts the writes to the memory of `t`.
"""


class Tensor:
    def __init__(self, data):
        raise NotImplementedError
