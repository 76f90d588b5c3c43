"""Broadcasting copies, and a value that was copied into n places influences the loss through all n of them: its
gradient is the *sum* of theirs. Broadcasting forward is summing backward, and the other way round.

Two kinds of axes were copied: those added on the left, which are summed away, and those of size 1 that were
stretched, which are summed but kept as size 1. Nothing else changes, so one reshape at the end settles the shape.

Cost: one pass over g, with at most one addition for each of its elements. The shape is all that must be kept. Where
nothing was broadcast g itself could be handed on; the worked function copies it even then, as a sum over no axes does.

PyTorch: `ExpandBackward0` is this sum, and `Tensor.sum_to_size` is it by name; a shape that could not have been
expanded to that of g raises. A rule such as `MulBackward0`'s does not call it: the engine sums what a rule returns to
the shape recorded for the input.

Asked next:

- How do you test it without another autodiff? → Broadcasting is linear and this is its transpose: for random x and g
  the sum of broadcast(x) * g equals that of x * unbroadcast(g), up to rounding.
- Is unbroadcast(broadcast(x)) equal to x? → Not in general: it is x times the number of copies. The mean of the copies
  would give x back, but a gradient needs the transpose, not an inverse.
- g is all ones in float16, of shape (4096, 2): what does NumPy's sum along the first axis give? → 2048, not 4096: the
  running total stays there, as 2048 + 1 rounds to 2048. Ask for `dtype=np.float32` and round the result.
"""

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    (
        "One value was copied into several places. How do the gradients of the copies combine into the gradient "
        "of the original?"
    ),
    "Sum over the axes that were added on the left, and over every axis where `shape` says 1 but `g` is larger.",
    "Collect those axes in a tuple, `g.sum(axis=axes)`, and finish with a `.reshape(shape)`.",
)
WRT = ("x",)
MAY_ALIAS = True
CASES = [
    given("x[n] like[m,n]"),
    given("x[m,1] like[m,n]"),
    given("x[1,n] like[m,n]"),
    given("x[1,n] like[k,m,n]"),
    given("x[] like[m,n]"),
    given("x[1] like[m,n]"),
    given("x[1,1] like[m,n]"),
    given("x[m,n] like[m,n]", note="nothing to undo"),
    given("x[k,1,n] like[l,k,m,n]", large={"l": 1, "k": 400, "m": 2, "n": 250}),
]


def forward(x, like):
    return engine.broadcast_to(x, like.shape)


def saved(x, like):
    return {"shape": x.shape}


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    stretched = (i + added for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=(*range(added), *stretched)).reshape(shape)


@mistake(
    "leading-only", "only the axes added on the left were copied", "(3,1) stretched to (3,4): which axis was copied?"
)
def unbroadcast(g, shape):
    return g.sum(axis=tuple(range(g.ndim - len(shape))))


@mistake("no-keepdims", "a summed axis disappears", "Compare your result's shape with `shape`, axis by axis.")
def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(added)))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1))


@mistake("mean", "the copies' gradients are averaged", "Each copy contributes in full. Is that a sum or a mean?")
def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    axes = (*range(added), *(i + added for i, n in enumerate(shape) if n == 1))
    return g.mean(axis=axes, keepdims=True).reshape(shape)


@mistake(
    "reshape",
    "the first copy's gradient is the original's",
    "All copies carry gradient. What becomes of the others here?",
)
def unbroadcast(g, shape):
    size = 1
    for n in shape:
        size *= n
    return g.ravel()[:size].reshape(shape).copy()


@mistake(
    "first-copy",
    "the first copy's gradient is the original's, along every copied axis",
    "All copies carry gradient. What becomes of the others here?",
)
def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    kept = tuple(slice(0, 1) if n == 1 else slice(None) for n in shape)
    return g[(0,) * added + kept].copy()
