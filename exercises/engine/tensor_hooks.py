# /// autodrill
# title = "Hooks on a tensor's gradient"
# kind = "program"
# difficulty = "medium"
# minutes = 10
# topics = ["hooks", "accumulation"]
# requires = ["backward_engine"]
# entry = "HookedTensor"
# ///
"""During backward a tensor receives contributions to its gradient, one from each consumer; when all have come, its
gradient is final. Write `HookedTensor()` with

    register_hook(fn)    fn(g) will be called with the gradient; returns a handle with a method `remove()`
    receive(g)           one more contribution, a float
    finalize()           the gradient is complete: returns it, and is ready for the next backward

A hook sees the *whole* gradient, once a backward. Hooks run in the order in which they were registered, and what a hook
returns replaces the gradient for those after it, and in the end, unless it is None. Removing twice does no harm.
"""


class HookedTensor:
    def __init__(self):
        raise NotImplementedError
