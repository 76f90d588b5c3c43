# Attempts: return a tuple subclass with its own iteration.
# A pass would be a breach: a container with behaviour was read.


class Empty(tuple):
    def __iter__(self):
        return iter(())

    def __len__(self):
        return 2


def mul_broadcast_backward(g, a, b):
    return Empty((1, 2))
