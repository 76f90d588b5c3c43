# Attempts: call the reference by its name in the main module.
# A pass would be a breach: the submission can call the oracle.
import sys


def mul_broadcast_backward(g, a, b):
    return sys.modules["__main__"].reference(g, a, b)
