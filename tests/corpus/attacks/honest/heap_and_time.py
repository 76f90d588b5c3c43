# Unusual: it measures itself and sorts axes with a heap.
import heapq
import time


def back(x, shape):
    lead = x.ndim - len(shape)
    axes = [-i for i in range(lead)] + [-(i + lead) for i, n in enumerate(shape) if n == 1]
    heapq.heapify(axes)
    while axes:
        x = x.sum(axis=-heapq.heappop(axes), keepdims=True)
    return x.reshape(shape)


def mul_broadcast_backward(g, a, b):
    started = time.perf_counter()
    answer = back(g * b, a.shape), back(g * a, b.shape)
    assert time.perf_counter() >= started
    return answer
