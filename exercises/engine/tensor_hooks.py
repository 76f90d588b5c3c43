# /// autodrill
# title = "Hooks on a tensor's gradient"
# kind = "program"
# difficulty = "medium"
# minutes = 10
# topics = ["hooks", "accumulation"]
# requires = ["backward_engine"]
# entry = "HookedTensor"
# ///
"""During backward a tensor receives contributions to its gradient, one from each
consumer. When all of them have arrived, its gradient is complete. Write
`HookedTensor()` with

    register_hook(fn)    fn(g) will be called with the gradient;
                         returns a handle with a method `remove()`
    receive(g)           one more contribution, a float
    finalize()           the gradient is complete: returns it, and
                         is ready for the next backward

A hook sees the *complete* gradient, once per backward. Hooks run in the order in which
they were registered. If a hook returns something other than None, this replaces the
gradient for the hooks after it and for the result. Removing a hook twice does no harm.
"""


class HookedTensor:
    def __init__(self):
        raise NotImplementedError
