"""The call of a custom function makes a *fresh* context, runs forward and builds the node. The node's closure keeps
this context and the arguments. In backward, the closure calls the function's own backward, checks the number of
gradients and accumulates them.

Every call needs its own context. The same function may be applied many times before any backward runs, and each
application must find the values that it saved itself.

Backward returns one gradient or None for each *argument*, because only the position of a gradient tells which argument
it belongs to. If one position is left out, every later gradient goes to the wrong argument. If the shapes fit, no error
is raised.

The closure adds with `+=`, because a node may appear twice among the arguments.

Cost: a call adds a context, a node and a closure to the work of forward. Backward takes at most one extra addition for
each argument that is a node. The arguments, and everything that forward put into the context, live as long as the node.

PyTorch: too few gradients raise "returned an incorrect number of gradients (expected 2, got 1)". Too many gradients
raise an error as well, unless all surplus gradients are None. PyTorch compares the shape of each gradient with the
shape of its input. `ctx.needs_input_grad` says which gradients are needed. If no input requires a gradient, there is no
node at all. `save_for_backward` takes tensors. A backward that does not retain the graph frees the saved tensors. If a
saved tensor was changed in place after it was saved, reading it raises an error. Plain attributes of ctx are neither
freed nor checked. Use plain attributes for everything that is not a tensor.

Asked next:

- forward assigns `ctx.a = a` instead of calling `save_for_backward(a)`. The tensor `a` is then changed in place. What
  happens? → Backward computes with the new numbers, without an error. With `save_for_backward` PyTorch compares version
  counters and raises.
- When is the memory of your node released? → Deleting the last name for the node does not release the memory. `out`
  holds the closure and the closure holds `out`. These two references form a cycle, so the node waits for Python's
  cyclic garbage collector. In PyTorch a function that puts its own output into an attribute of ctx makes the same
  cycle; `save_for_backward` does not.
- forward saves an intermediate result. Is the second derivative right? → No. The operations inside forward are not
  recorded, so with `create_graph=True` the intermediate is a constant. Its contribution to the second derivative is
  missing. If the cotangent depends on the input, no error is raised. Save inputs or outputs, and compute the
  intermediate from them in backward.
- How would you test such a function? → Use `torch.autograd.gradcheck` in float64, and `gradgradcheck` if the function
  must be differentiable twice. Then test two applications before the first backward, one argument passed twice, and a
  call in which an argument requires no gradient.
"""

import numpy as np

from autodrill.drills import edit, gradient, mistake, scenario

HINTS = (
    "Two applications of one function exist before any backward runs. Where does each application keep its values?",
    (
        "Each call has a context of its own, held by the closure. Backward must return one gradient for each "
        "argument, and the closure adds the gradients to the nodes."
    ),
    (
        "Compare the number of gradients with the number of arguments. Then loop over gradients and arguments "
        "together. Skip arguments that are not nodes and gradients that are None."
    ),
)
RESULTS = ("values", "gradients", "errors")
EQUIVALENT = {
    "condition: if isinstance(arg, Node) and grad is not None: -> if grad is not None:": "non-nodes always get None",
}


@scenario(2, note="two applications before any backward")
def two_applications(rng, size):
    return {"x": float(rng.uniform(1, 3)), "y": float(rng.uniform(1, 3)), "weights": [2.0, 5.0], "short": 0}


@scenario(1, note="two applications with equal weights")
def backward_twice(rng, size):
    return {"x": float(rng.uniform(1, 3)), "y": float(rng.uniform(1, 3)), "weights": [3.0, 3.0], "short": 0}


@scenario(1, note="one gradient too few")
def too_few(rng, size):
    return {"x": float(rng.uniform(1, 3)), "y": float(rng.uniform(1, 3)), "weights": [2.0], "short": 1}


@scenario(1, note="one gradient too many")
def too_many(rng, size):
    return {"x": float(rng.uniform(1, 3)), "y": float(rng.uniform(1, 3)), "weights": [2.0], "short": -1}


@scenario(1, note="one None too many")
def none_too_many(rng, size):
    return {"x": float(rng.uniform(1, 3)), "y": float(rng.uniform(1, 3)), "weights": [2.0], "short": -2}


@scenario(1, note="a NumPy number among the arguments")
def numpy_number(rng, size):
    # Like an array, a NumPy number has a `.data`, but it is not a node.
    return {"x": float(rng.uniform(1, 3)), "y": float(rng.uniform(1, 3)), "weights": np.array([3.0]), "short": 0}


CASES = [two_applications, backward_twice, too_few, too_many, none_too_many, numpy_number]
MISTAKES = [
    edit(
        "surplus-none-dropped",
        "a None too many does no harm",
        "There is one None more than there are arguments. What does the task do if the two numbers differ?",
        "len(grads) != len(args) -> len(grads) < len(args) or any(d is not None for d in grads[len(args) :])",
    ),
    edit(
        "zero-gradient-skipped",
        "a node whose gradient is 0 has nothing to pass on or to check",
        "The node's gradient is 0, and backward returns too few gradients. What must `_backward` raise?",
        "grads = fn.backward(ctx, out.grad) -> grads = fn.backward(ctx, out.grad) if out.grad else (None,) * len(args)",
    ),
    edit(
        "counts-without-nones",
        "the gradients that are not None belong to the nodes, in order",
        "Both arguments are nodes, and backward returns (None, g). Which node receives g?",
        "grads if isinstance(grads, tuple) else (grads,) -> "
        "[d for d in (grads if isinstance(grads, tuple) else (grads,)) if d is not None]",
        "len(grads) != len(args) -> len(grads) != len(nodes)",
        "zip(args, grads) -> zip(nodes, grads)",
    ),
    edit(
        "missing-is-none",
        "a gradient that backward leaves out is a None",
        "backward forgets one gradient. Can you tell which argument it forgets?",
        "len(grads) != len(args) -> len(grads) > len(args)",
    ),
]


def drive(candidate, x, y, weights, short):
    apply, Node = candidate

    class Weighted:
        @staticmethod
        def forward(ctx, a, weight, b):
            ctx.save_for_backward(a, b)
            ctx.weight = weight
            return weight * a * a * b

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            grads = (g * ctx.weight * 2 * a * b, None, g * ctx.weight * a * a)
            return grads[:-1] if short > 0 else (*grads, 0.0 if short == -1 else None) if short < 0 else grads

    class Square:
        @staticmethod
        def forward(ctx, a):
            ctx.a = a
            return a * a

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.a * g

    class Floor:
        @staticmethod
        def forward(ctx, a, b):
            return a // 1 + b

        @staticmethod
        def backward(ctx, g):
            return None, g

    class Step:
        @staticmethod
        def forward(ctx, a):
            return a // 1

        @staticmethod
        def backward(ctx, g):
            return None

    class Lone:
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, g):
            return g if short else (g, g)

    a, b = Node(x), Node(y)
    outs = [*(apply(Weighted, a, w, b) for w in weights), apply(Floor, a, b), apply(Lone, a, b)]
    outs += [apply(Square, a), apply(Step, a), apply(Weighted, a, 2.0, a)]

    def comes_from(out, *nodes):  # by identity: `==` would be the candidate's own
        return isinstance(out._prev, tuple) and [*map(id, out._prev)] == [*map(id, nodes)]

    linked = [comes_from(out, a, b) for out in outs[:-3]] + [comes_from(out, a) for out in outs[-3:-1]] + [True]
    errors = 0
    for out in outs:
        out.grad = 1.5
    if short:
        outs[0].grad = 0.0  # a wrong number of gradients is an error for a gradient of 0 too
    for out in outs:
        try:
            out._backward()
        except RuntimeError:
            errors += 1
    return {
        "values": [float(out.data) if whole else 0.0 for out, whole in zip(outs, linked)],
        "gradients": [float(a.grad), float(b.grad)],
        "errors": errors,
    }


def expected(x, y, weights, short):
    def total(a, b):
        always = a * a + b
        return 1.5 * (always if short else sum((w * a * a * b for w in weights), always + a + b + 2 * a * a * a))

    dx, dy = gradient(total, x, y)
    return {
        "values": [*(w * x * x * y for w in weights), x // 1 + y, x + y, x * x, x // 1, 2 * x**3],
        "gradients": [float(dx), float(dy)],
        "errors": len(weights) + 2 if short else 0,
    }


class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


shared = Context()


@mistake(
    "shared-ctx",
    "one context serves every call",
    "Two calls save two sets of values. Which set does the first backward find?",
)
def custom_function_apply(fn, *args):
    ctx = shared
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "no-arity-check",
    "there are always as many gradients as arguments",
    "backward forgets to return a None. Which argument receives the next gradient?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "assign",
    "a node's gradient is written only once",
    "How many applications may one node feed?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad = grad

    out._backward = backward
    return out


@mistake(
    "nodes-only",
    "backward returns a gradient for each node",
    "Forward may also have arguments that are not nodes. What does backward return for such an argument?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *(arg.data if isinstance(arg, Node) else arg for arg in args)), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(nodes):
            raise RuntimeError("backward must return one gradient for each node")
        for node, grad in zip(nodes, grads):
            node.grad += grad

    out._backward = backward
    return out


@mistake(
    "nones-dropped",
    "a None may be dropped before gradients are matched with arguments",
    "The first of two gradients is None, and you drop this None. Which argument receives the second gradient?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *(arg.data if isinstance(arg, Node) else arg for arg in args)), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for node, grad in zip(nodes, (grad for grad in grads if grad is not None)):
            node.grad += grad

    out._backward = backward
    return out


@mistake(
    "data-of-anything",
    "every object with a `.data` is a node",
    (
        "Pass a NumPy array as the second argument. Which attribute does the array share with a node, and what does "
        "forward get?"
    ),
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [getattr(arg, "data", arg) for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "once-a-node",
    "a node appears only once among the arguments",
    "A node appears twice among the arguments. How many gradients does backward return for it, and where do they go?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in {arg: grad for arg, grad in zip(args, grads) if isinstance(arg, Node)}.items():
            if grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "first-place",
    "the first position of a node among the arguments is always the position of its gradient",
    "A node appears twice among the arguments. Which of its two positions does `index` find each time?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *(arg.data if isinstance(arg, Node) else arg for arg in args)), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for node in nodes:
            grad = grads[args.index(node)]
            if grad is not None:
                node.grad += grad

    out._backward = backward
    return out


@mistake(
    "none-is-nothing",
    "a backward that returns None returns no gradients",
    "A function of one argument returns None from backward. How many gradients does this None count as?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = () if grads is None else grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "single-not-counted",
    "only gradients in a tuple must be counted",
    "Forward takes two arguments, and backward returns one number. Which argument does this number belong to?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        if not isinstance(grads, tuple):
            grads = (grads,)
        elif len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "too-few-only",
    "one gradient too many does no harm",
    "There is one gradient more than there are arguments. Can you tell which gradient is the extra one?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) < len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "zips-with-nodes",
    "backward returns gradients for the nodes alone",
    "Let the middle argument be a plain number. Which argument does the second gradient belong to?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for node, grad in zip(nodes, grads):
            if grad is not None:
                node.grad += grad

    out._backward = backward
    return out


@mistake(
    "as-many-as-nodes",
    "backward must return one gradient for each node",
    "For an argument that is a plain number, backward returns None. Does this None count?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *values), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(nodes):
            raise RuntimeError("backward must return a gradient per node")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out


@mistake(
    "all-arguments-linked",
    "every argument is an input of the graph",
    "`_prev` is walked by backward. What happens when the walk meets a plain number?",
)
def custom_function_apply(fn, *args):
    ctx = Context()
    out = Node(fn.forward(ctx, *[arg.data if isinstance(arg, Node) else arg for arg in args]), args)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("backward must return a gradient per argument")
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out
