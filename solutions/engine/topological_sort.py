"""Depth-first search, emitting a node when it is *left*: by then all of its inputs have been emitted. A set of node
identities makes sure that each node is entered once, so the walk is linear in the edges although a chain of n
diamonds has 2ⁿ paths.

Why reverse mode needs it: a node may send its gradient on only when all of its consumers have delivered theirs. In
the reversed list every consumer comes first. Breadth-first order fails as soon as two paths to a node differ in
length, because the short one reaches it too early.

Identity, not value: two leaves may both hold 2.0. And recursion dies at about a thousand nodes in a row, which a
recurrent network has; real engines keep a stack or count unfinished consumers.
"""

from autodrill.drills import mistake, scenario

HINTS = (
    "When is it safe to put a node into the list: when you enter it or when you leave it?",
    "Depth-first search with a set of visited nodes; append a node after all of its inputs have been visited.",
    (
        "An inner function `visit(node)`: return if its `id` was seen, remember it, visit each of `node._prev`, "
        "then append."
    ),
)


@scenario(1, 2, 3, 5, 8, 12, note="a random graph")
def random_graph(rng, size):
    parents = [[] for _ in range(min(2, size))]
    while len(parents) < size:
        parents.append([int(rng.integers(len(parents))) for _ in range(int(rng.integers(1, 4)))])
    return {"parents": parents, "data": [float(i) for i in rng.permutation(size)]}


@scenario(4, note="a diamond with paths of different length")
def diamond(rng, size):
    parents = [[], *([i] for i in range(size - 1))]
    if size > 2:
        parents[-1].append(0)
    return {"parents": parents, "data": [1.0, 2.0, 3.0, 4.0][:size]}


@scenario(4, note="a diamond the other way round")
def mirrored_diamond(rng, size):
    made = diamond.make(rng, size)
    return {**made, "parents": [inputs[::-1] for inputs in made["parents"]]}


@scenario(5, note="a node with three inputs")
def three_inputs(rng, size):
    parents = [[], [], [0], [1, 0, 2], [3]]
    return {"parents": parents, "data": [float(i) for i in rng.permutation(5)]}


@scenario(3, note="two nodes with equal values")
def equal_values(rng, size):
    return {"parents": [[] for _ in range(size - 1)] + [list(range(size - 1))], "data": [2.0] * (size - 1) + [4.0]}


@scenario(25, note="a doubling chain v = v + v")
def doubling_chain(rng, size):
    return {"parents": [[], *([i, i] for i in range(size - 1))], "data": [float(2**i) for i in range(size)]}


CASES = [random_graph, diamond, mirrored_diamond, three_inputs, equal_values, doubling_chain]


def drive(candidate, parents, data):
    class TooManyVisitsError(Exception):
        pass

    reads, inputs, labels = 0, {}, {}

    class Node:
        @property
        def _prev(self):
            nonlocal reads
            reads += 1
            if reads > 20 * len(parents) + 20:
                raise TooManyVisitsError(
                    f"`_prev` was read more than {reads - 1} times for {len(parents)} nodes: every path is walked"
                )
            return inputs[id(self)]

    # Neither the order of their addresses nor its reverse is topological, and a node carries nothing that is: the
    # labels and inputs are kept apart from it.
    nodes = sorted((Node() for _ in parents), key=id)
    nodes[:2] = reversed(nodes[:2])
    for label, node in enumerate(nodes):
        node.data, node.grad = data[label], 0.0
        labels[id(node)], inputs[id(node)] = label, tuple(nodes[i] for i in parents[label])

    def name(n):
        return labels.get(id(n), "a node of an earlier graph" if type(n).__name__ == "Node" else None)

    order = candidate(nodes[-1])
    return [name(n) for n in order] if isinstance(order, list | tuple) else order


def judge(order, parents, data):
    if not isinstance(order, list):
        return "type: the result must be a list of nodes"
    if any(isinstance(label, str) for label in order):
        return "keeps-state: the list holds nodes of an earlier graph"
    if any(not isinstance(label, int) for label in order):
        return "type: the list must hold the nodes themselves"
    if len(set(order)) < len(order):
        return f"twice: node {next(n for n in order if order.count(n) > 1)} stands in the list twice"
    needed, stack = set(), [len(parents) - 1]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += parents[node]
    if needed - set(order):
        return f"missing: node {min(needed - set(order))} is missing from the list"
    place = {label: i for i, label in enumerate(order)}
    for node in order:
        for source in parents[node]:
            if place[source] > place[node]:
                return f"order: node {node} stands before its input, node {source}"
    return None


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
