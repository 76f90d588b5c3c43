"""Depth-first search, emitting a node when it is *left*: by then all of its inputs have been emitted. A set of node
identities makes sure that each node is entered once, so the walk is linear in the edges although a chain of n
diamonds has 2ⁿ paths.

Why reverse mode needs it: a node may send its gradient on only when all of its consumers have delivered theirs. In
the reversed list every consumer comes first. Breadth-first order fails as soon as two paths to a node differ in
length, because the short one reaches it too early.

Identity, not value: two leaves may both hold 2.0. And recursion dies at about a thousand nodes in a row, which a
recurrent network has; real engines keep a stack or count unfinished consumers.
"""

from autodrill.drills import mistake, scenario, shared

HINTS = (
    "When is it safe to put a node into the list: when you enter it or when you leave it?",
    "Depth-first search with a set of visited nodes; append a node after all of its inputs have been visited.",
    (
        "An inner function `visit(node)`: return if its `id` was seen, remember it, visit each of `node._prev`, "
        "then append."
    ),
)


topological = shared(__file__, "../_topological")
expected, drive, judge = topological.expected, topological.drive, topological.judge


@scenario(5, note="a node with three inputs")
def three_inputs(rng, size):
    return topological.graph([[], [], [0], [1, 0, 2], [3]], rng.permutation(5))


CASES = [*topological.GRAPHS, three_inputs]


def topological_sort(root):
    order, visited = [], set()

    def visit(node):
        if id(node) in visited:
            return
        visited.add(id(node))
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake(
    "breadth-first",
    "distance from the root orders the nodes",
    "A node may be near the root by one path and far by another. Which one counts?",
)
def topological_sort(root):
    order, visited, queue = [], {id(root)}, [root]
    while queue:
        node = queue.pop(0)
        order.append(node)
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                queue.append(source)
    return order[::-1]


@mistake(
    "pre-order",
    "a node may be emitted when it is entered",
    "When is it safe to emit a node: on entering or on leaving it?",
)
def topological_sort(root):
    order, visited = [], set()

    def visit(node):
        if id(node) in visited:
            return
        visited.add(id(node))
        order.append(node)
        for source in node._prev:
            visit(source)

    visit(root)
    return order[::-1]


@mistake("no-visited", "every path must be walked", "Count the visits in a chain of v = v + v.")
def topological_sort(root):
    order = []

    def visit(node):
        for source in node._prev:
            visit(source)
        if not any(node is other for other in order):
            order.append(node)

    visit(root)
    return order


@mistake(
    "visited-by-value",
    "nodes with equal values are the same node",
    "Two leaves may both hold 2.0. Identity or equality?",
)
def topological_sort(root):
    order, visited = [], set()

    def visit(node):
        if node.data in visited:
            return
        visited.add(node.data)
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake(
    "root-first",
    "the order of the list is the order of reverse mode",
    "Read the task again: which end of the list does the root stand at?",
)
def topological_sort(root):
    order, visited = [], set()

    def visit(node):
        if id(node) in visited:
            return
        visited.add(id(node))
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order[::-1]
