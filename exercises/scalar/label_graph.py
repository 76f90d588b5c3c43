# /// autodrill
# title = "Label the whiteboard graph"
# kind = "backward"
# difficulty = "easy"
# minutes = 5
# topics = ["chain rule", "fan-out"]
# ///
"""The whiteboard graph, with two numbers as inputs:

    a = x + y
    b = a * x
    L = b

Return the label an interviewer wants beside every node: a dict with the keys `'b'`,
`'a'`, `'x'` and `'y'`, each holding dL/d(that node), for any numbers `x` and `y`. No
engine, no loops: do by hand what reverse mode does.
"""


def label_graph(x, y):
    raise NotImplementedError
