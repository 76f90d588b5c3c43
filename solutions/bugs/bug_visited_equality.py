"""`node in visited` asks for equality, and here equality means equal values: a second node that also holds 2.0 counts
as visited and never reaches the order. Its `_backward` is never called, so what it was computed from gets no
gradient through it. (NaN happens to work: it equals nothing, and `in` tries identity before `==`.)

A visited set must ask for *identity*: keep `id(node)`. (The ids stay valid because the graph keeps its nodes alive.)
`node in some_list` is no way out: it calls `__eq__` too, and takes linear time.

Cost: a look-up in a set takes constant time on average, so the order takes time linear in nodes and edges; a list would
make it quadratic. Memory is an integer a node.

PyTorch: tensors have an elementwise `==` and hash by identity, so a set of them asks for identity. `t in some_list`
calls `==`: it says True for another scalar of the same value, and for several elements, unless it meets t itself first,
it raises "Boolean value of Tensor with more than one value is ambiguous". The engine's own records are keyed by the
address of a node.

Asked next:

- Which graph shows the fault, and which hides it? → z = p · q with p = a · b and q = c · d both 6: q is taken for p,
  its `_backward` is not called, and c and d get 0. With p and q leaves of equal value nothing is lost, as z's
  `_backward` writes their gradients itself.
- The class defines `__eq__` and not `__hash__`: what then? → Python sets `__hash__` to None, and a set refuses the node
  with a TypeError, which is better than a wrong gradient. A plain `@dataclass` does the same; with `frozen=True` it
  hashes by fields and the fault is back; with `eq=False` identity stays.
- When is `id(node)` a trap in its turn? → When a node may die during the walk: its address, and so its id, can go to a
  new object, which then counts as visited. Here `root` keeps all of them alive through `_prev`.
- Would a flag on each node do as well? → For one walk, yes. It must be reset before the next one, and two walks at a
  time would see each other's flags.
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

    def asked():
        order = candidate(nodes[-1])
        return [labels.get(id(n)) for n in order] if isinstance(order, list | tuple) else order

    methods, order = dict(vars(Node)), asked()
    if order is None:
        return None
    # A number is compared by its text: NaN is not equal to itself.
    changed = [
        label
        for label, (node, value) in enumerate(zip(nodes, data.tolist(), strict=True))
        if repr(node.data) != repr(value) or node.grad != 0.0
    ]
    same = all(vars(Node).get(method) is kept for method, kept in methods.items()) and len(vars(Node)) == len(methods)
    return {
        "order": order,
        "comparisons by value": comparisons,
        "class changed": not same,
        "changed": changed,
        "again": asked(),
    }


def judge(answer, edges, data):
    if isinstance(answer, dict) and answer.get("class changed") is not False:
        return "changes-the-class: the node class stays as it is, `__eq__` and `__hash__` with it"
    return topological.judge(answer, edges, data)


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


@mistake(
    "changes-the-class",
    "comparing nodes may be mended where it is defined",
    "Who else compares nodes, and was promised that equal values are equal? What does the task say of the class?",
)
def bug_visited_equality(root):
    type(root).__eq__, type(root).__hash__ = object.__eq__, object.__hash__
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
