def undo(F, G, y1, y2, d1, d2):
    """Return the inputs of one layer, their gradients and the gradients of the weights."""
    half, back_through_G = G(y1)
    x2 = y2 - half
    part, dG = back_through_G(d2)
    d1 = part + d1
    half, back_through_F = F(x2)
    x1 = y1 - half
    part, dF = back_through_F(d1)
    return (x1, x2, d1, part + d2), (dF, dG)


def reversible_block_backward(y1, y2, g1, g2, layers):
    state, weights = (y1, y2, g1, g2), [None] * len(layers)
    for i in range(len(layers) - 1, -1, -1):
        state, weights[i] = undo(*layers[i], *state)
    return (*state, weights)
