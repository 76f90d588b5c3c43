"""Depth-first search, emitting a node when it is *left*: by then all of its inputs have been emitted. A set of node
identities makes sure that each node is entered once, so the walk is linear in the edges although a chain of n
diamonds has 2ⁿ paths.

Why reverse mode needs it: a node may send its gradient on only when all of its consumers have delivered theirs. In
the reversed list every consumer comes first. Breadth-first order does not promise that: where two paths to a node
differ in length, the short one may reach it too early, and whether it does hangs on the order of the inputs.

Identity, not value: two leaves may both hold 2.0.

Cost: O(nodes + edges): each node is entered once, each edge looked at once. The list and the set have one entry a
node. The recursion gets as deep as the longest path it walks, and Python's stops at about a thousand calls unless told
otherwise: a recurrent network of a thousand steps needs a stack of one's own.

PyTorch: It sorts nothing beforehand. A first walk, with a stack of its own, counts for each node the edges that lead to
it; a node whose count has come to 0 enters the queue of its device, from which the node made last is taken first
(`_sequence_nr()` shows the number; the accumulators of leaves have the largest there is). Nothing recurses, so a chain
of 100,000 operations is no trouble, and in `x * x` both edges lead to one accumulator, which runs once, with their sum.

Asked next:

- A graph has many right orders. How do you test for one of them? → Test the property, not a list: the result holds
  each node reachable from the root once, and nothing else, and every node stands after each of its inputs.
- How do you do without recursion? → Keep a stack of pairs, a node and an iterator over its inputs, and emit the node
  when its iterator is exhausted. Or count each node's consumers and, from the root on, take nodes whose count has come
  to 0: Kahn's algorithm, which gives reverse mode's order directly.
- Could you do without sorting? → Yes, by numbering nodes as they are made: an operation is made after its inputs, so
  falling numbers put every consumer first. That is a tape; it fails if a node's inputs are replaced later.
- What does your function do if there is a cycle? → It ends, since each node is entered once, and returns a list that is
  not topological, without a word. To notice, mark a node as open on entering and as done on leaving: an edge to an open
  node closes a cycle.
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


@scenario(7, note="a node with five inputs")
def five_inputs(rng, size):
    return topological.graph([[], [], [0], [], [], [1, 0, 2, 3, 4], [5]], rng.permutation(7))


CASES = [*topological.GRAPHS, five_inputs]


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


@mistake(
    "marks-nodes",
    "a node may carry the mark that it was visited",
    "What does backward find in `.grad` after your walk, and what does your next walk find there?",
)
def topological_sort(root):
    order = []

    def visit(node):
        if node.grad is None:
            return
        node.grad = None
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake(
    "looks-again",
    "looking for a node among those seen costs nothing",
    "A node has 40,000 inputs. With how many nodes is each of them compared before it counts as new?",
)
def topological_sort(root):
    order = []

    def visit(node):
        if node in order:
            return
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
