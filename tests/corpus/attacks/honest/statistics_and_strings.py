# Unusual: parts of the standard library that few think of, imported and used once.
import bisect
import hashlib
import json
import statistics
from collections import Counter, defaultdict, deque

NAMES = json.loads('["da", "db"]')
assert hashlib.sha256(b"").hexdigest().startswith("e3b0")
assert statistics.mean([1, 3]) == 2


def back(x, shape):
    todo = deque(range(x.ndim - len(shape)))
    while todo:
        x = x.sum(axis=0)
        todo.pop()
    ones = defaultdict(list)
    for i, n in enumerate(shape):
        bisect.insort(ones[n], i)
    return x.sum(axis=tuple(ones[1]), keepdims=True) if Counter(shape)[1] else x


def mul_broadcast_backward(g, a, b):
    grads = dict(zip(NAMES, (back(g * b, a.shape), back(g * a, b.shape))))
    return grads["da"], grads["db"]
