# /// autodrill
# title = "Backward of an indexed assignment"
# kind = "backward"
# difficulty = "medium"
# minutes = 7
# topics = ["indexing", "inplace"]
# requires = ["add_backward"]
# ///
"""The forward pass wrote rows of `src` into a copy of `base`:

    out = base.copy()
    out[idx] = src

`idx` is an array of non-negative integers, one for each row of `src`. If an index
occurs several times, the last write wins, as in NumPy. `base` and `src` have one axis
or more. `g` is dL/dout. Return `dbase, dsrc`.
"""

import numpy as np


def setitem_backward(g, idx):
    raise NotImplementedError
