"""`node in visited` asks for equality, and here equality means equal values: a second leaf that also holds 2.0 counts
as visited and never reaches the order, so its gradient is never computed. (NaN happens to work: it equals nothing,
and `in` tries identity before `==`.)

A visited set must ask for *identity*: keep `id(node)`. (The ids stay valid because the graph keeps its nodes alive.)
`node in some_list` is no way out: it calls `__eq__` too, and takes linear time. Frameworks give tensors elementwise
`==` and hash by identity for this reason.
"""

from autodrill.drills import mistake, scenario, shared

HINTS = (
    "What does `node in visited` ask of two different nodes that hold the same number?",
    "The question is whether this very object was visited: identity, not equality.",
    "Keep `id(node)` in the set, in both lines that touch it.",
)


topological = shared(__file__, "../_topological")


@scenario(1, 2, 3, 5, 8, note="values repeat")
def repeating(rng, size):
    inputs = [[] for _ in range(min(2, size))] if size != 2 else [[], [0]]
    while len(inputs) < size:
        inputs.append([len(inputs) - 1, int(rng.integers(len(inputs)))])
    return topological.graph(inputs, rng.integers(1, 3, size))


@scenario(3, note="two leaves hold 2.0")
def two_leaves(rng, size):
    return topological.graph([[], [], [0, 1]], [2.0, 2.0, 4.0])


@scenario(4, note="NaN values")
def nan_values(rng, size):
    return topological.graph([[], [0], [0], [1, 2]], [float("nan")] * 4)


CASES = [repeating, two_leaves, nan_values]


def drive(candidate, edges, data):
    comparisons, labels = 0, {}

    class Node:
        def __eq__(self, other):
            nonlocal comparisons
            comparisons += 1
            return isinstance(other, Node) and self.data == other.data

        def __hash__(self):
            return hash(self.data) if self.data == self.data else 0

    # Neither the order of their addresses nor its reverse is topological, and a node does not carry its label.
    nodes = sorted((Node() for _ in data), key=id)
    nodes[:2] = reversed(nodes[:2])
    # Equal numbers become one object, as constants are in real code: `id(node.data)` tells nobody apart.
    constants = {}
    for label, (node, value) in enumerate(zip(nodes, data.tolist(), strict=True)):
        labels[id(node)] = label
        node.data, node.grad = constants.setdefault(repr(value), value), 0.0
        node._prev = tuple(nodes[source] for consumer, source in edges.tolist() if consumer == label)
    order = candidate(nodes[-1])
    if order is None:
        return None
    found = [labels.get(id(n)) for n in order] if isinstance(order, list | tuple) else order
    return {"order": found, "comparisons by value": comparisons}


def judge(answer, edges, data):
    return topological.judge(answer["order"], edges, data)


def bug_visited_equality(root):
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
    "set-of-nodes",
    "`in` a set asks whether this very node was visited",
    "Two different leaves hold 2.0. What does `in` say about the second?",
)
def bug_visited_equality(root):
    order, visited = [], set()

    def visit(node):
        if node in visited:
            return
        visited.add(node)
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake("list-membership", "`in` a list compares identities", "Which method of a node does `in` call on a list?")
def bug_visited_equality(root):
    order, visited = [], []

    def visit(node):
        if node in visited:
            return
        visited.append(node)
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
