# /// autodrill
# title = "Undo broadcasting"
# kind = "backward"
# difficulty = "easy"
# minutes = 6
# topics = ["shapes"]
# ///
"""In the forward pass NumPy broadcast an array of shape `shape` to the shape of `g`.
`g` is the upstream gradient, with one number for every *copy* of an element. Return the
gradient of the original array. The result must have exactly the shape `shape`, and it
may share memory with `g`.

Broadcasting may have added axes on the left, stretched axes of size 1, done both, or
done neither. `shape` may be `()`.
"""


def unbroadcast(g, shape):
    raise NotImplementedError
