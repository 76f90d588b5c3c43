# /// autodrill
# title = "Backward of sort"
# kind = "backward"
# difficulty = "medium"
# minutes = 5
# topics = ["indexing"]
# requires = ["add_backward"]
# ///
"""The forward pass sorted `x` along its last axis in ascending order, with a stable
sort. It saved `order`, the indices that sort `x`:

    order = np.argsort(x, axis=-1, kind="stable")
    out = np.take_along_axis(x, order, axis=-1)

`g` is dL/dout. Return `dx`.
"""

import numpy as np


def sort_backward(g, order):
    raise NotImplementedError
