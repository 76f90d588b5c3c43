import collections

import numpy as np


def label_graph(x, y):
    labels = collections.defaultdict(np.float64)
    labels["b"] += 1
    labels["a"] += x
    labels["x"] += np.dot([1, 1], [x, x + y])
    labels["y"] += x
    return labels
