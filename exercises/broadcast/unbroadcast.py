# /// autodrill
# title = "Undo broadcasting"
# kind = "backward"
# difficulty = "easy"
# minutes = 6
# topics = ["broadcasting", "shapes"]
# ///
"""In the forward pass NumPy broadcast an array of shape `shape` to the shape of `g`.
`g` is the gradient that comes back, one number for every *copy*. Return the gradient of
the original: an array of exactly `shape`.

Axes may have been added on the left, axes of size 1 may have been stretched, both, or
neither; `shape` may be `()`.
"""


def unbroadcast(g, shape):
    raise NotImplementedError
