"""Walk backwards. dL/db = 1. `b = a * x` gives a its first and only contribution, dL/da = x, and gives x a first one,
a = x + y. `a = x + y` passes dL/da on unchanged to both: y gets x, and x a second contribution, x. Contributions along
different paths add:

    dL/dx = (x + y) + x,    dL/dy = x

At x = 2, y = 3: 1, 2, 7, 2. Expanding L = x² + xy and differentiating confirms both.

Along a path multiply, across paths add.

Cost: reverse mode visits each edge once, with a product by the local slope and an addition; listing the paths instead
would cost 2ⁿ after n such fan-outs in a row. The product needs the values of a and x, the sum needs none.

PyTorch: the forward records a `MulBackward0`, which keeps a and x, above an `AddBackward0`, which keeps nothing. After
`b.backward()`, x and y have 7 and 2 in `.grad`, but a and b are no leaves: reading `a.grad` gives None and a warning,
unless `a.retain_grad()` was called before.

Asked next:

- What does dL/da mean, where a is no free variable but x + y? → The slope of L if a alone were nudged, after it was
  computed, while the x in the product stays as it is: that slope is x.
- How would forward mode label this graph? → With tangents, from the inputs on. Seeded with x, a gets 1 and L gets
  a + x = 7; seeded with y, a gets 1 and L gets x = 2. That is a pass for each input, and dL/da is in neither.
- `a` is detached, as in `b = a.detach() * x`. What are the labels now? → dL/dx is a, 5 at (2, 3), and y gets nothing,
  None in PyTorch: the path through the sum is cut. The value of L is the same as before.
- What are the second derivatives? → Differentiate the labels: dL/dx = 2x + y gives 2 in x and 1 in y, dL/dy = x gives
  1 and 0. The matrix is symmetric, as it must be.
"""

from autodrill.drills import given, mistake

HINTS = (
    "Start at the loss: what is dL/dL? Then ask of each node which nodes consume it.",
    (
        "A node's gradient is the sum over its consumers of (the consumer's gradient times the local slope). x "
        "has two consumers."
    ),
    (
        "`a = x + y` first; then one dict whose `'x'` entry is a sum of two terms, one through the product and "
        "one through `a`."
    ),
)
RESULTS = ("b", "a", "x", "y")
# The adjoint of an inner node is the derivative with respect to a nudge added at that node: so both oracles can
# label them.
CASES = [
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0),
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0, x=2.0, y=3.0, note="x=2, y=3"),
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0, x=0.0, y=4.0, note="x=0"),
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0, x=3.0, y=-3.0, note="x=-y"),
]


def forward(b, a, x, y):
    return (x + y + a) * x + b


def drive(candidate, x, y):
    labels = candidate(float(x), float(y))
    return dict(labels) if isinstance(labels, dict) else labels


def label_graph(x, y):
    a = x + y
    return {"b": 1.0, "a": x, "x": a + x, "y": x}


@mistake(
    "one-path", "only one of the two paths from x to L counts", "x feeds two nodes. How many terms must dL/dx have?"
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": x + y, "y": x}


@mistake(
    "path-product", "contributions along different paths are multiplied", "Along a path multiply; across paths ...?"
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": (x + y) * x, "y": x}


@mistake(
    "wrong-operand",
    "the slope of a product in one factor is that factor",
    "b = a * x: what is the slope of b as a moves?",
)
def label_graph(x, y):
    a = x + y
    return {"b": 1.0, "a": a, "x": x + a, "y": a}


@mistake(
    "through-a-only",
    "x reaches the loss through a alone",
    "b = a * x: does x stand in it, besides in a?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": x, "y": x}


@mistake(
    "values-for-gradients",
    "the label of a node is its value",
    "Values flow forward. What is the slope of L in b?",
)
def label_graph(x, y):
    a = x + y
    return {"b": a * x, "a": a, "x": x, "y": y}


@mistake(
    "local-slope",
    "the slope of one edge is the whole gradient",
    "y moves a by 1 for 1. And by how much does a move L?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": 2 * x + y, "y": 1.0}
