# /// autodrill
# title = "Undo broadcasting"
# kind = "backward"
# difficulty = "easy"
# minutes = 6
# topics = ["broadcasting", "shapes"]
# ///
"""In the forward pass NumPy broadcast an array of shape `shape` to the shape of `g`.
`g` is the incoming gradient, one number for every *copy*. Return the gradient of the
original, an array of exactly `shape`.

Broadcasting may have added axes on the left, stretched axes of size 1, both, or
neither. `shape` may be `()`.
"""


def unbroadcast(g, shape):
    raise NotImplementedError
