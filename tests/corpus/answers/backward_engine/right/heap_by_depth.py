import heapq
import itertools
from functools import lru_cache


def backward_engine(root):
    @lru_cache(maxsize=None)
    def depth(n):
        return 1 + max(map(depth, n._prev), default=0)

    tick = itertools.count()
    heap, queued = [(-depth(root), next(tick), root)], {root}
    root.grad = 1.0
    while heap:
        _, _, n = heapq.heappop(heap)
        n._backward()
        for s in n._prev:
            if s not in queued:
                queued.add(s)
                heapq.heappush(heap, (-depth(s), next(tick), s))
