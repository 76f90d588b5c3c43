# /// autodrill
# title = "Label the whiteboard graph"
# kind = "backward"
# difficulty = "easy"
# minutes = 5
# topics = ["chain rule", "fan-out"]
# ///
"""A small graph with two numbers as inputs:

    a = x + y
    b = a * x
    L = b

Return the gradient of L with respect to every node, as an interviewer would ask you to
label it on the whiteboard: a dict with the keys `'b'`, `'a'`, `'x'` and `'y'`, each
holding dL/d(that node), for any numbers `x` and `y`. Use no engine and no loop: do by
hand what reverse mode does.
"""


def label_graph(x, y):
    raise NotImplementedError
