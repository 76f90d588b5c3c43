# /// autodrill
# title = "Backward of reversible layers"
# kind = "program"
# difficulty = "hard"
# minutes = 15
# topics = ["memory", "engine"]
# requires = ["checkpoint_sqrt_n"]
# ///
"""A network consists of reversible layers. A layer is a pair of functions (F, G) and maps (x1, x2) to (y1, y2):

    y1 = x1 + F(x2)
    y2 = x2 + G(y1)

The outputs of a layer are the inputs of the next one. The forward kept only the outputs y1 and y2 of the last layer.
`g1` and `g2` are dL/dy1 and dL/dy2. `layers` is the list of pairs in the order of the forward. A call F(x) returns
`value, vjp`. The function `vjp(g)` takes the gradient of the value. It returns `dx, dW`, where dW is the gradient of
the weights in F. G works in the same way.

Return `x1, x2, dx1, dx2, weight_gradients`. x1 and x2 are the inputs of the first layer, and dx1 and dx2 are their
gradients. `weight_gradients` is a list of pairs (dF, dG), one per layer, in the order of `layers`.

Cost is graded: call each F, each G and each `vjp` once. A `vjp` keeps activations alive. Memory must not grow with
the number of layers, except for the weight gradients. Memory is graded for many layers. Do not change the arguments.
"""


def reversible_block_backward(y1, y2, g1, g2, layers):
    raise NotImplementedError
