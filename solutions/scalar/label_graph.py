"""Reverse mode walks backwards from L. Since L = b, dL/db = 1.

In `b = a * x`, the slope with respect to one factor is the other factor. So dL/da = x, and dL/dx receives its first
contribution, the value of a.

`a = x + y` passes its gradient, dL/da = x, to both inputs unchanged. So dL/dy = x, and the same value x is the second
contribution to dL/dx.

The two contributions to dL/dx add up:

    dL/dx = (x + y) + x,    dL/dy = x

At x = 2, y = 3 the gradients of b, a, x and y are 1, 2, 7 and 2. Differentiating the expanded form L = x² + xy confirms
the gradients of x and y.

The rule is to multiply along a path and to add across paths.

Cost: reverse mode visits each edge once, and each visit multiplies by the local slope and adds. A chain of n graphs
like this one has 4n edges but 2ⁿ paths, so following each path separately would take far longer. The backward of the
product needs the values of a and x. The backward of the sum needs no values.

PyTorch: the forward records a `MulBackward0`, which saves a and x, and an `AddBackward0`, which saves nothing. At x =
2, y = 3, after `b.backward()`, `.grad` is 7 for x and 2 for y. The tensors `a` and `b` are not leaves. So reading
`a.grad` returns None with a warning, unless `a.retain_grad()` was called before backward.

Asked next:

- `a` is x + y and not a free variable. What does dL/da mean? → dL/da is the slope of L if only the value of `a` is
  changed, while the x in the product stays fixed. This slope is x.
- How would forward mode label this graph? → Forward mode would label each node with a tangent, starting at the inputs.
  If x has tangent 1 and y has tangent 0, then `a` has tangent 1 and L has tangent a + x, which is 7 at (2, 3). If y has
  tangent 1 and x has tangent 0, then `a` has tangent 1 and L has tangent x = 2. Forward mode takes one pass for each
  input, and neither pass computes dL/da.
- `a` is detached, as in `b = a.detach() * x`. What are the gradients now? → dL/dx is the value of `a`, which is 5 at
  (2, 3). The path through the sum is cut, so y receives nothing. PyTorch leaves `y.grad` at None. The value of L does
  not change.
- What are the second derivatives? → Differentiate the gradients. dL/dx = 2x + y has the derivative 2 with respect to x
  and 1 with respect to y. dL/dy = x has the derivative 1 with respect to x and 0 with respect to y. The matrix of these
  four numbers, the Hessian, is symmetric, like the Hessian of every smooth function.
"""

from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "Start at the loss: what is dL/dL? Then find the consumers of each node.",
    (
        "Each consumer of a node contributes its own gradient times the local slope. A node's gradient is the sum of "
        "these contributions. x has two consumers."
    ),
    (
        "Compute `a = x + y` first. Then return one dict whose `'x'` entry is a sum of two terms: one through the "
        "product, one through `a`."
    ),
)
RESULTS = ("b", "a", "x", "y")
# The adjoint of an inner node is the derivative with respect to an offset added at that node. With the offsets as
# inputs, both oracles can compute this derivative.
CASES = [
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0),
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0, x=normal(mean=10), y=normal(mean=-7), note="x near 10, y near -7"),
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0, x=2.0, y=3.0, note="x=2, y=3"),
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0, x=0.0, y=4.0, note="x=0"),
    given("b[] a[] x[] y[]", b=0.0, a=0.0, g=1.0, x=3.0, y=-3.0, note="x=-y"),
]
MISTAKES = [
    edit(
        "difference-quotient",
        "a difference quotient is as exact as the derivative",
        "How many digits of a slope survive when you subtract two nearly equal values of L? "
        "Which two slopes add up to dL/dx?",
        'return ... -> L = lambda x: (x + y) * x; h = 1e-6; return {"b": 1.0, "a": x, '
        '"x": (L(x + h) - L(x - h)) / (2 * h), "y": x}',
    ),
    edit(
        "keyed-by-value",
        "a value occurs at one node only, so a table may be keyed by values",
        "Let y be 0. Which two nodes then share one entry of your table?",
        "return ... -> t = dict.fromkeys((b := a * x, a, x, y), 0); t[b] += 1; up = t[b]; t[a] += up * x; "
        "t[x] += up * a; up = t[a]; t[x] += up; t[y] += up; "
        'return {"b": t[b], "a": t[a], "x": t[x], "y": t[y]}',
    ),
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
    "one-path",
    "only one of the two paths from x to L counts",
    "x feeds two nodes. How many terms must dL/dx have?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": x + y, "y": x}


@mistake(
    "path-product",
    "contributions along different paths are multiplied",
    "Along a path you multiply. What do you do across paths?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": (x + y) * x, "y": x}


@mistake(
    "wrong-operand",
    "the slope of a product with respect to one factor is that factor",
    "In b = a * x, what is the slope of b with respect to a?",
)
def label_graph(x, y):
    a = x + y
    return {"b": 1.0, "a": a, "x": x + a, "y": a}


@mistake(
    "through-a-only",
    "x reaches the loss only through `a`",
    "In `b = a * x`, does x appear only inside `a`?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": x, "y": x}


@mistake(
    "values-for-gradients",
    "the label of a node is its value",
    "Values flow forward. What is the slope of L with respect to b?",
)
def label_graph(x, y):
    a = x + y
    return {"b": a * x, "a": a, "x": x, "y": y}


@mistake(
    "local-slope",
    "the slope of one edge is the whole gradient",
    "If y moves by 1, a moves by 1. How far does L move when a moves by 1?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": 2 * x + y, "y": 1.0}


@mistake(
    "slope-of-the-sum",
    "the gradient of a is the slope of the sum",
    "b = a * x. How far does L move when a moves by 1?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": 1.0, "x": 2 * x + y, "y": x}


@mistake(
    "sum-without-upstream",
    "the sum passes the gradient 1 to x",
    "If the node `a` rises by 1, how far does L rise? Which number does the sum pass on to x?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": x + y + 1, "y": x}


@mistake(
    "no-upstream",
    "the sum passes the gradient 1 to each of its inputs",
    "If the node `a` rises by 1, how far does L rise? Which number does the sum pass on to x and y?",
)
def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": x + y + 1, "y": 1.0}
