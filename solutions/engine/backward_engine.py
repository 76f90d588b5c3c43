"""A reverse-mode engine takes three steps. It orders the nodes topologically, seeds d root / d root = 1, and runs the
closures from the root to the leaves. In reversed topological order every consumer of a node runs before the node
itself. So a node's `.grad` is complete when its closure reads it.

The order is the difficult part. An engine that calls closures while it walks down the graph runs a shared node once per
path, with partial gradients. Such an engine is not only slow: its gradients are wrong.

The engine clears no gradients. Leaves accumulate gradients over several losses, and the training loop clears them with
`zero_grad`.

Cost: each closure runs once, so backward is O(nodes + edges). Each operation of the forward causes a constant number of
operations in backward, for any number of leaves. For example, a product causes two products and two additions. The
closures read values of the forward, so these values stay in memory as long as the graph. Every node also stores a
gradient.

PyTorch: the engine builds no list. A first walk counts how many consumers will send each node a gradient, and a node
runs when all of these gradients have arrived. Until a node runs, a buffer of the current pass holds its gradient.
Leaves receive `.grad`. Other tensors receive `.grad` only after `retain_grad()`. Without an argument `backward()` seeds
1 and rejects a root of several elements: "grad can be implicitly created only for scalar outputs".

Asked next:

- Your function runs twice on the same root y, with z = x·x and y = z·z. What does x.grad hold? → x.grad holds 3·dy/dx
  instead of 2·dy/dx. When the second pass adds to z.grad, z.grad still holds the value of the first pass. So z passes
  on twice the right gradient. Before each pass, clear the gradients of the nodes that have inputs. Or keep these
  gradients in buffers that last for one pass, as PyTorch does.
- When can a node's gradient be freed? → The gradient can be freed once the node's own closure has run. By then all
  consumers have added their parts, and no other closure reads the gradient. If only leaves keep their gradients, memory
  holds only the gradients in transit at one moment, not the gradients of the whole graph.
- What changes in backward if the output is a vector? → Only the seed changes: the seed is a cotangent of the output's
  shape, chosen by the caller. One pass then gives a vector-Jacobian product, and a full Jacobian takes one pass for
  each output.
- What fails first on a chain of 100,000 nodes? → The recursive sort fails first, at Python's default limit of 1,000
  calls. The pass itself is a loop over a list and works for any length.
"""

import numpy as np

from autodrill.drills import mistake, scenario, shared

HINTS = (
    "A closure reads its node's `.grad`. When is that number complete?",
    "Sort topologically, set the root's gradient to 1, and call the closures in reversed order.",
    (
        "A depth-first search builds the list. One assignment seeds the root. One loop over the reversed list "
        "calls `_backward` of each node."
    ),
)
RESULTS = ("grad of every node",)


topological = shared(__file__, "../_topological")


def graph(rng, leaves, ops, roots):
    """Return a graph under shuffled labels, so that nothing in the candidate's process holds a topological order.

    An operation is [whether it is a product, input, input]. Those returned are by node, [] for a leaf.
    """
    values, made = list(leaves), [[] for _ in leaves] + ops
    for product, i, j in ops:
        values.append(values[i] * values[j] if product else values[i] + values[j])
    edges = np.array([(n, source) for n, op in enumerate(made) for source in op[1:]], int).reshape(-1, 2)
    label = topological.labels(rng, edges, len(values)).tolist()
    mixed = {label[n]: [*op[:1], *(label[i] for i in op[1:])] for n, op in enumerate(made)}
    return {
        "nudge": np.zeros(len(values)),
        "values": [value for _, value in sorted(zip(label, values))],
        "ops": [mixed[n] for n in range(len(mixed))],
        "roots": [label[root] for root in roots],
    }


@scenario(1, 2, 3, 4, 6, 9, note="a random graph")
def random_graph(rng, size):
    leaves = [float(v) for v in rng.integers(1, 5, min(size, 3))]
    ops = [[int(rng.integers(2)), n - 1, int(rng.integers(n))] for n in range(len(leaves), size)]
    return graph(rng, leaves, ops, [size - 1])


@scenario(4, note="a diamond with paths of different lengths")
def diamond(rng, size):
    return graph(rng, [3.0], [[1, 0, 0], [0, 1, 0], [1, 2, 1]], [3])


@scenario(4, note="a diamond, inputs in the other order")
def mirrored_diamond(rng, size):
    # Here a walk takes the short path to the shared node first; in `diamond` it takes the long path first. So a wrong
    # walk fails in one of the two graphs, in whichever order it visits inputs.
    return graph(rng, [3.0], [[1, 0, 0], [0, 1, 0], [1, 1, 2]], [3])


@scenario(5, note="a diamond with paths of equal length")
def level_diamond(rng, size):
    return graph(rng, [2.0, 3.0], [[1, 0, 1], [0, 2, 0], [1, 2, 1], [1, 3, 4]], [5])


@scenario(4, note="two results of equal value")
def equal_results(rng, size):
    return graph(rng, [2.0, 2.0], [[1, 0, 1], [0, 0, 1], [1, 2, 3]], [4])


@scenario(6, note="two graphs that share a leaf")
def shared_leaf(rng, size):
    return graph(rng, [2.0, 3.0], [[1, 0, 1], [1, 2, 0], [0, 0, 1], [1, 4, 0]], [3, 5])


@scenario(6, note="a square and another use of its operand")
def square_and_sum(rng, size):
    # The two consumers of the square and of the sum name them in opposite orders: one walk or the other meets the
    # square first.
    return graph(rng, [2.0, 3.0], [[1, 0, 1], [1, 2, 2], [0, 2, 0], [1, 4, 3], [1, 3, 4], [0, 5, 6]], [7])


@scenario(5, note="a square near the root, and another use of its operand far from it")
def square_and_chain(rng, size):
    # A walk that takes the oldest ready node runs the operand of the square before its other consumer.
    return graph(rng, [2.0, 3.0], [[1, 0, 1], [1, 2, 2], [0, 2, 0], [0, 4, 1], [0, 3, 5]], [6])


@scenario(5, note="a node that the root uses too")
def root_uses_it_too(rng, size):
    # A walk with a stack is right here if it marks nodes when it pushes them, and wrong if it marks them later.
    return graph(rng, [2.0, 3.0], [[1, 0, 1], [1, 2, 1], [0, 2, 0], [1, 3, 4], [1, 2, 5]], [6])


CASES = [
    random_graph,
    diamond,
    mirrored_diamond,
    level_diamond,
    equal_results,
    square_and_sum,
    square_and_chain,
    root_uses_it_too,
    shared_leaf,
]
EQUIVALENT = {"assign: root.grad = 1.0 -> root.grad += 1.0": "the root's gradient is 0 before its graph is run"}


# The adjoint of a node is the derivative with respect to an offset added at that node. With the offsets as inputs, both
# oracles can compute it.
def forward(nudge, values, ops, roots):
    found = {}

    def value(n):
        if n not in found:
            product, i, j = ops[n] or (None, None, None)
            found[n] = nudge[n] + (values[n] if i is None else value(i) * value(j) if product else value(i) + value(j))
        return found[n]

    total = value(roots[0])
    for root in roots[1:]:
        total = total + value(root)
    return total


def drive(candidate, values, ops, roots):
    class Node:
        def __init__(self, data):
            self.data, self.grad, self._prev = data, 0.0, ()
            self._backward = lambda: None

    def add(out, a, b):
        def backward():
            a.grad += out.grad
            b.grad += out.grad

        out._prev, out._backward = (a, b), backward

    def multiply(out, a, b):
        def backward():
            a.grad += b.data * out.grad
            b.grad += a.data * out.grad

        out._prev, out._backward = (a, b), backward

    nodes = [Node(value) for value in values]
    for node, op in zip(nodes, ops):
        if op:
            product, i, j = op
            (multiply if product else add)(node, nodes[i], nodes[j])
    for root in roots:
        candidate(nodes[root])
    return {"grad of every node": [node.grad for node in nodes]}


def topological_order(root):
    order, visited = [], set()

    def visit(node):
        if id(node) not in visited:
            visited.add(id(node))
            for source in node._prev:
                visit(source)
            order.append(node)

    visit(root)
    return order


def backward_engine(root):
    order = topological_order(root)
    root.grad = 1.0
    for node in reversed(order):
        node._backward()


@mistake(
    "visited-by-value",
    "nodes with equal values are the same node",
    "Two results may both be 4.0. Do you need identity or equality?",
)
def backward_engine(root):
    order, visited = [], set()

    def visit(node):
        if node.data not in visited:
            visited.add(node.data)
            for source in node._prev:
                visit(source)
            order.append(node)

    visit(root)
    root.grad = 1.0
    for node in reversed(order):
        node._backward()


@mistake(
    "no-seed",
    "the root needs no gradient of its own",
    "What is the gradient of the root with respect to itself?",
)
def backward_engine(root):
    for node in reversed(topological_order(root)):
        node._backward()


@mistake(
    "forward-order",
    "closures run from the inputs to the root",
    "A closure reads its node's `.grad`. Is this gradient complete when you call the closure?",
)
def backward_engine(root):
    root.grad = 1.0
    for node in topological_order(root):
        node._backward()


@mistake(
    "plain-dfs",
    "closures may run during the walk down the graph",
    "A node may be processed only after ALL of its consumers. Have all consumers run when you call the node's closure?",
)
def backward_engine(root):
    root.grad = 1.0

    def walk(node):
        node._backward()
        for source in node._prev:
            walk(source)

    walk(root)


@mistake(
    "breadth-first",
    "nodes may be processed level by level",
    "What happens if two paths to a node have different lengths?",
)
def backward_engine(root):
    root.grad = 1.0
    queue, visited = [root], {id(root)}
    while queue:
        node = queue.pop(0)
        node._backward()
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                queue.append(source)


@mistake(
    "zeroes-leaves",
    "backward clears the gradients before it fills them",
    "Who decides when leaves are cleared: backward or the training loop?",
)
def backward_engine(root):
    order = topological_order(root)
    for node in order:
        node.grad = 0.0
    root.grad = 1.0
    for node in reversed(order):
        node._backward()


@mistake(
    "depth-first-once",
    "a node may be processed the first time it is reached",
    "A node is reached by the short path. Have its consumers on the long path already run?",
)
def backward_engine(root):
    root.grad = 1.0
    visited = set()

    def walk(node):
        if id(node) in visited:
            return
        visited.add(id(node))
        node._backward()
        for source in node._prev:
            walk(source)

    walk(root)


@mistake(
    "seed-data",
    "the root's gradient is its value",
    "What is the gradient of the root with respect to itself?",
)
def backward_engine(root):
    root.grad = root.data
    for node in reversed(topological_order(root)):
        node._backward()


@mistake(
    "root-skipped",
    "the root is finished once it is seeded",
    "Which closure passes the root's gradient on to the root's inputs?",
)
def backward_engine(root):
    root.grad = 1.0
    for node in reversed(topological_order(root)[:-1]):
        node._backward()


@mistake(
    "once-a-path",
    "a node appears in the order once for every path that leads to it",
    "How many times may the closure of a node run if the node has several consumers?",
)
def backward_engine(root):
    order = []

    def visit(node):
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    root.grad = 1.0
    for node in reversed(order):
        node._backward()


@mistake(
    "leaves-only",
    "only leaves keep their gradient",
    "Read the task again: which nodes must hold their gradient in `.grad` afterwards?",
)
def backward_engine(root):
    root.grad = 1.0
    for node in reversed(topological_order(root)):
        node._backward()
        if node._prev:
            node.grad = 0.0


@mistake(
    "square-counted-once",
    "a node that uses an operand twice is one consumer in the count before the walk, but two consumers during the walk",
    (
        "Let v = u * u. How many consumers of u do you count before the walk? By how many does the walk lower this "
        "count when v has run?"
    ),
)
def backward_engine(root):
    waiting, found, stack = {}, {id(root)}, [root]
    while stack:
        for source in {id(source): source for source in stack.pop()._prev}.values():
            waiting[id(source)] = waiting.get(id(source), 0) + 1
            if id(source) not in found:
                found.add(id(source))
                stack.append(source)
    root.grad = 1.0
    ready = [root]
    while ready:
        node = ready.pop()
        node._backward()
        for source in node._prev:
            waiting[id(source)] -= 1
            if waiting[id(source)] == 0:
                ready.append(source)


@mistake(
    "visited-when-pushed",
    "a node may be processed when the stack yields it",
    "A node has two consumers, and one of them pushed it. Has the other one run, or is it still on the stack?",
)
def backward_engine(root):
    root.grad = 1.0
    stack, visited = [root], {id(root)}
    while stack:
        node = stack.pop()
        node._backward()
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                stack.append(source)


@mistake(
    "last-input-first",
    "a walk that takes the last input first reaches a node after all of its consumers",
    "The walk reaches a node through one consumer. Has the node's other consumer run by then?",
)
def backward_engine(root):
    root.grad = 1.0
    stack, visited = [root], set()
    while stack:
        node = stack.pop()
        if id(node) not in visited:
            visited.add(id(node))
            node._backward()
            stack.extend(node._prev)


@mistake(
    "square-counted-once-oldest-first",
    "a node that uses an operand twice is one consumer in the count before the walk, but two consumers during the walk",
    (
        "Let v = u * u. How many consumers of u do you count before the walk? By how many does the walk lower this "
        "count when v has run?"
    ),
)
def backward_engine(root):
    waiting, found, stack = {}, {id(root)}, [root]
    while stack:
        for source in {id(source): source for source in stack.pop()._prev}.values():
            waiting[id(source)] = waiting.get(id(source), 0) + 1
            if id(source) not in found:
                found.add(id(source))
                stack.append(source)
    root.grad = 1.0
    ready = [root]
    for node in ready:
        node._backward()
        for source in node._prev:
            waiting[id(source)] -= 1
            if waiting[id(source)] == 0:
                ready.append(source)


@mistake(
    "square-released-once",
    "a node that uses an operand twice is two consumers in the count before the walk, but one consumer during the walk",
    (
        "Let v = u * u. How many consumers of u do you count before the walk? By how many does the walk lower this "
        "count when v has run?"
    ),
)
def backward_engine(root):
    waiting, found, stack = {}, {id(root)}, [root]
    while stack:
        for source in stack.pop()._prev:
            waiting[id(source)] = waiting.get(id(source), 0) + 1
            if id(source) not in found:
                found.add(id(source))
                stack.append(source)
    root.grad = 1.0
    ready = [root]
    while ready:
        node = ready.pop()
        node._backward()
        for source in {id(source): source for source in node._prev}.values():
            waiting[id(source)] -= 1
            if waiting[id(source)] == 0:
                ready.append(source)


@mistake(
    "computed-from-the-same",
    "two computed nodes with equal values and the same inputs are one node",
    "At x = y = 2, x + y and x * y have the same value and the same inputs. Do they send x the same gradient?",
)
def backward_engine(root):
    order, visited = [], set()

    def visit(node):
        key = (node.data, *map(id, node._prev)) if node._prev else id(node)
        if key not in visited:
            visited.add(key)
            for source in node._prev:
                visit(source)
            order.append(node)

    visit(root)
    root.grad = 1.0
    for node in reversed(order):
        node._backward()


@mistake(
    "again-for-each-consumer",
    "a closure may run again whenever another consumer of its node has run",
    "A closure runs a second time. Which part of its node's `.grad` has it already passed on?",
)
def backward_engine(root):
    root.grad = 1.0
    queue = [root]
    for node in queue:
        node._backward()
        queue.extend({id(source): source for source in node._prev}.values())


@mistake(
    "again-for-each-use",
    "a closure may run again for each use of its node",
    "A closure runs a second time. Which part of its node's `.grad` has it already passed on?",
)
def backward_engine(root):
    root.grad = 1.0
    queue = [root]
    for node in queue:
        node._backward()
        queue.extend(node._prev)
