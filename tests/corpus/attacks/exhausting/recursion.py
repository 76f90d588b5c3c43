# Attempts: recurse until the C stack is used up, in a process that others share.
# A pass would be a breach: a crash did not count as a failure.
import sys


def deep(n):
    return deep(n - 1) + 1 if n else 0


def mul_broadcast_backward(g, a, b):
    print("PASS", flush=True)
    sys.setrecursionlimit(1 << 30)
    return sorted([0, 1], key=lambda _: deep(10_000_000))
