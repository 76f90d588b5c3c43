# /// autodrill
# title = "Hooks on a tensor's gradient"
# kind = "program"
# difficulty = "medium"
# minutes = 10
# topics = ["hooks", "engine"]
# requires = ["backward_engine"]
# entry = "HookedTensor"
# ///
"""During backward a tensor receives contributions to its gradient, one from each
consumer. When all contributions have arrived, the gradient is complete. Write
`HookedTensor()` with

    register_hook(fn)    registers fn, which takes the gradient;
                         returns a handle with a method `remove()`
    receive(g)           takes one more contribution, a float
    finalize()           is called when the gradient is complete; returns the
                         gradient and prepares for the next backward

A hook sees the *complete* gradient, once per backward. Hooks run in the order in which
they were registered. If a hook returns a value other than None, this value replaces the
gradient for the later hooks and for the result. Removing a hook twice does no harm.
"""


class HookedTensor:
    def __init__(self):
        raise NotImplementedError
