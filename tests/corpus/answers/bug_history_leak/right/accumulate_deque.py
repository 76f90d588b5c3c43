from collections import deque
from itertools import accumulate
from operator import methodcaller


def bug_history_leak(losses):
    (total,) = deque(accumulate(map(methodcaller("item"), losses)), maxlen=1)
    return total
