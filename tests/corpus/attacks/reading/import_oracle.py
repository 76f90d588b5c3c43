# Attempts: import autodrill's own engine and ask it.
# A pass would be a breach: the oracle answered for the submission.
import sys


def mul_broadcast_backward(g, a, b):
    sys.path.insert(0, "@REPOSITORY@")
    from autodrill import engine

    _, pullback = engine.vjp(lambda x, y: x * y, a, b)
    da, db = pullback(g)
    return da.numpy().copy(), db.numpy().copy()
