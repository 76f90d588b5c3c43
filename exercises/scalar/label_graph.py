# /// autodrill
# title = "Label the whiteboard graph"
# kind = "backward"
# difficulty = "easy"
# minutes = 5
# topics = ["graph"]
# ///
"""A small graph has two numbers as inputs, `x` and `y`:

    a = x + y
    b = a * x
    L = b

An interviewer asks you to label each node of the graph with the gradient of L. Return
these labels, for any numbers `x` and `y`, as a dict with the keys `'b'`, `'a'`, `'x'`
and `'y'`. The entry of each key is the derivative of L with respect to that node. Use
no engine and no loop: do by hand what reverse mode does.
"""


def label_graph(x, y):
    raise NotImplementedError
