"""A layer can be undone, because each of its two lines adds a function of a value that is still known afterwards. G
read y1, and y1 is known. So compute x2 first, and then evaluate F at x2:

    x2 = y2 - G(y1)
    x1 = y1 - F(x2)

The gradient follows the same two lines backwards. y1 reaches the loss on two paths, as an output and through G. Write
Gᵀ(·) and Fᵀ(·) for the VJPs, and let d1 be the whole gradient of y1:

    d1  = g1 + Gᵀ(g2)       with G at y1
    dx1 = d1
    dx2 = g2 + Fᵀ(d1)       with F at x2

F feeds y1, so its VJP needs the whole d1 and not g1. Both VJPs are evaluated at the points that the inversion visits
anyway. One call of G gives a value for the inversion and a VJP for the gradient, and so does one call of F. When the
layer is done, its activations are not needed any more.

Cost: each F and G runs once more, as under full checkpointing. If a VJP costs as much as two evaluations, a step costs
a third more than with all activations kept. Only the activations of one layer are in memory at a time, however deep the
network is. Checkpointing needs at least one kept activation per segment.

PyTorch: there is no reversible layer in PyTorch. Write a `torch.autograd.Function` that saves only the outputs of the
last layer. Its backward runs each F and G under `torch.enable_grad()` on a detached input and calls
`torch.autograd.grad` for the input and the weights. The Reformer in Hugging Face's Transformers has such a function.
That function calls `backward` instead of `torch.autograd.grad`, so it adds to the `grad` of the weights. If F contains
dropout, both runs must draw the same mask. So save the random state and restore it. The Reformer saves a seed and sets
it again.

Asked next:

- Are the recovered inputs exact? → They are exact only up to rounding. Each subtraction adds an error, and undoing the
  earlier layers can amplify it. Let F(x) and G(x) each be tanh(xW), with 16 x 16 random weights of variance 1/16. In
  six runs with 64 layers and inputs near 1, the recovered inputs had errors of up to 4e-4 in float32 and 3 in float16.
- Which layers cannot be reversible? → Layers that change the number of elements, such as pooling, cannot be reversible.
  A residual block of one stream, y = x + F(x), has an inverse if F is a contraction. But this inverse needs an
  iteration.
- Batch norm is part of F. What happens to its running statistics? → F runs twice per step, so they are updated twice.
  The second run must not update them.
- Why not compute all inputs first and the gradients afterwards? → Then every `vjp`, or every input, is alive until its
  layer's turn comes, and the memory grows with the depth again.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, gradient, mistake, scenario

HINTS = (
    "Which of x1 and x2 can you compute from y1 and y2 with one call? Which paths lead from y1 to the loss?",
    (
        "Undo a layer from its second line. One call of G gives x2 and a VJP, and one call of F at x2 gives x1 and a "
        "VJP. The VJP of F needs the whole gradient of y1."
    ),
    (
        "For each pair of `reversed(layers)`: call G at ..., subtract its value from y2, add its VJP of g2 to g1. Then "
        "do the same with F."
    ),
)
RESULTS = ("x1", "x2", "dx1", "dx2", "dF", "dG", "the number of calls of F and G", "the number of calls of vjp")


def tanh_of(x, w):
    return np.tanh(x[:, ::-1] * w)


def made(rng, layers, n, d, scale=0.6):
    x1, x2, g1, g2 = rng.normal(size=(4, n, d))
    wF, wG = rng.normal(0, scale, size=(2, layers, d))
    y1, y2 = x1, x2
    for f, g in zip(wF, wG, strict=True):
        y1 = y1 + tanh_of(y2, f)
        y2 = y2 + tanh_of(y1, g)
    return {"x1": x1, "x2": x2, "y1": y1, "y2": y2, "g1": g1, "g2": g2, "wF": wF, "wG": wG}


@scenario(1, 2, 3, 5, note="random layers")
def random_layers(rng, size):
    return made(rng, size, 2, 3)


@scenario(2, note="one row")
def row(rng, size):
    return made(rng, size, 1, 2)


@scenario(2, note="the gradient of the second output only")
def second_only(rng, size):
    given = made(rng, size, 2, 2)
    given["g1"][...] = 0
    return given


# An activation takes 128 KiB. With the VJPs of all layers, about 800 activations are alive.
@scenario(200, note="many layers", memory=16 << 20, because="the activations of all layers are alive at once")
def many(rng, size):
    return made(rng, size, 128, 128, scale=0.1)  # the inverses of many steep layers would amplify rounding


CASES = [random_layers, row, second_only, many]


# F and G reverse the rows' elements. Without the reversal all Jacobians would be diagonal, and their order would not
# matter.
def drive(candidate, y1, y2, g1, g2, wF, wG):
    import weakref

    class TooManyAliveError(Exception):
        pass

    calls, vjps, alive = 0, 0, []

    def function(w):
        def evaluate(x):
            nonlocal calls
            calls += 1
            value = np.tanh(x[:, ::-1] * w)

            def vjp(g):
                nonlocal vjps
                vjps += 1
                slope = g * (1 - value * value)
                return (slope * w)[:, ::-1], (slope * x[:, ::-1]).sum(axis=0)

            alive[:] = [ref for ref in alive if ref() is not None]
            if len(alive) > 3:  # two of a layer, and one that a variable still names
                raise TooManyAliveError(f"{len(alive)} functions `vjp` are alive when F or G is called")
            alive.append(weakref.ref(vjp))
            return value.copy(), vjp

        return evaluate

    layers = [(function(f), function(g)) for f, g in zip(wF, wG, strict=True)]
    x1, x2, dx1, dx2, weights = candidate(y1, y2, g1, g2, layers)
    return {
        "x1": np.array(x1),
        "x2": np.array(x2),
        "dx1": np.array(dx1),
        "dx2": np.array(dx2),
        "dF": np.array([dF for dF, _ in weights]),
        "dG": np.array([dG for _, dG in weights]),
        "the number of calls of F and G": calls,
        "the number of calls of vjp": vjps,
    }


def expected(x1, x2, y1, y2, g1, g2, wF, wG):
    def loss(x1, x2, wF, wG):
        for layer in range(len(g_layers)):
            x1 = x1 + engine.tanh(x2[:, ::-1] * wF[layer])
            x2 = x2 + engine.tanh(x1[:, ::-1] * wG[layer])
        return (x1 * g1).sum() + (x2 * g2).sum()

    g_layers, primals = wF, (x1, x2, wF, wG)
    # Finite differences check the small cases. In the large one they would take too long.
    found = gradient(loss, *primals) if len(wF) < 9 else engine.vjp(loss, *primals)[1](np.ones(()))
    return dict(zip(RESULTS, (x1, x2, *map(np.asarray, found), 2 * len(wF), 2 * len(wF)), strict=True))


def reversible_block_backward(y1, y2, g1, g2, layers):
    gradients = []
    for F, G in reversed(layers):
        value, vjp = G(y1)
        y2 = y2 - value
        from_G, dG = vjp(g2)
        g1 = g1 + from_G

        value, vjp = F(y2)
        y1 = y1 - value
        from_F, dF = vjp(g1)
        g2 = g2 + from_F
        gradients.append((dF, dG))
    return y1, y2, g1, g2, gradients[::-1]


MISTAKES = [
    edit(
        "one-path",
        "y1 reaches the loss only as an output",
        "Which function read y1 after it was computed?",
        "g1 = g1 + from_G ->",
    ),
    edit(
        "gradient-too-early",
        "F receives g1, the incoming gradient of y1",
        "F feeds y1. Is g1 the whole gradient of y1 when the VJP of F runs?",
        "value, vjp = G(y1) -> early = g1; value, vjp = G(y1)",
        "vjp(g1) -> vjp(early)",
    ),
    edit(
        "wrong-point",
        "F is evaluated at y2",
        "What did F read in the forward, x2 or y2?",
        "y2 = y2 - value -> old = y2; y2 = y2 - value",
        "F(y2) -> F(old)",
    ),
    edit(
        "weights-reversed",
        "the weight gradients come in the order in which they are found",
        "Which layer did you treat first? Which layer comes first in the result?",
        "gradients[::-1] -> gradients",
    ),
    edit(
        "layers-in-order",
        "the layers are undone in the order of the forward",
        "Which layer made y1 and y2?",
        "reversed(layers) -> layers",
        "gradients[::-1] -> gradients",
    ),
    edit(
        "no-identity",
        "x2 reaches the loss only through F",
        "y2 is x2 plus a second term. Which gradient does x2 receive directly from y2?",
        "g2 = g2 + from_F -> g2 = from_F",
    ),
    edit(
        "pair-exchanged",
        "the gradient that is found first comes first in the pair",
        "In which order does the task name the two gradients of a layer?",
        "(dF, dG) -> (dG, dF)",
    ),
]


@mistake(
    "forward-order",
    "a layer is undone in the order of its two lines",
    "Which of x1 and x2 can be computed from y1 and y2 alone?",
)
def reversible_block_backward(y1, y2, g1, g2, layers):
    gradients = []
    for F, G in reversed(layers):
        value, vjp_F = F(y2)
        y1 = y1 - value
        value, vjp_G = G(y1)
        y2 = y2 - value
        from_G, dG = vjp_G(g2)
        g1 = g1 + from_G
        from_F, dF = vjp_F(g1)
        g2 = g2 + from_F
        gradients.append((dF, dG))
    return y1, y2, g1, g2, gradients[::-1]


@mistake(
    "inputs-first",
    "all inputs must be known before the first gradient",
    "How many `vjp` functions are alive when your second loop begins? What does each of them keep?",
)
def reversible_block_backward(y1, y2, g1, g2, layers):
    pairs = []
    for F, G in reversed(layers):
        value, vjp_G = G(y1)
        y2 = y2 - value
        value, vjp_F = F(y2)
        y1 = y1 - value
        pairs.append((vjp_F, vjp_G))
    gradients = []
    for vjp_F, vjp_G in pairs:
        from_G, dG = vjp_G(g2)
        g1 = g1 + from_G
        from_F, dF = vjp_F(g1)
        g2 = g2 + from_F
        gradients.append((dF, dG))
    return y1, y2, g1, g2, gradients[::-1]


@mistake(
    "forward-again",
    "backward needs a forward from the inputs first",
    (
        "To undo a layer, you call F and G at the points where their VJPs are needed. What do these calls return "
        "besides the value?"
    ),
)
def reversible_block_backward(y1, y2, g1, g2, layers):
    for F, G in reversed(layers):
        y2 = y2 - G(y1)[0]
        y1 = y1 - F(y2)[0]
    x1, x2, pairs = y1, y2, []
    for F, G in layers:
        value, vjp_F = F(y2)
        y1 = y1 + value
        value, vjp_G = G(y1)
        y2 = y2 + value
        pairs.append((vjp_F, vjp_G))
    gradients = []
    for vjp_F, vjp_G in reversed(pairs):
        from_G, dG = vjp_G(g2)
        g1 = g1 + from_G
        from_F, dF = vjp_F(g1)
        g2 = g2 + from_F
        gradients.append((dF, dG))
    return x1, x2, g1, g2, gradients[::-1]


@mistake(
    "halves-in-forward-order",
    "F is undone and differentiated before G",
    "y2 = x2 + G(y1) ran last. Which of x1 and x2 can you compute without the other one?",
)
def reversible_block_backward(y1, y2, g1, g2, layers):
    gradients = []
    for F, G in reversed(layers):
        value, vjp = F(y2)
        y1 = y1 - value
        from_F, dF = vjp(g1)
        g2 = g2 + from_F

        value, vjp = G(y1)
        y2 = y2 - value
        from_G, dG = vjp(g2)
        g1 = g1 + from_G
        gradients.append((dF, dG))
    return y1, y2, g1, g2, gradients[::-1]
