"""`node in visited` tests equality, and for these nodes equality means equal values. If two nodes hold 2.0, the second
counts as visited and never enters the order. The second node's `_backward` is never called, so its inputs receive no
gradient through this node. (NaN happens to work: NaN equals nothing, and `in` tests identity before `==`.)

A visited set must test *identity*: store `id(node)`. (The ids stay valid because the graph keeps its nodes alive.)
`node in some_list` is no alternative: it calls `__eq__` too, and it takes linear time.

Cost: a lookup in a set takes constant time on average, so the walk is linear in nodes and edges. A list would make the
walk quadratic. The set holds one integer per node.

PyTorch: tensors have an elementwise `==` and hash by identity, so a set of tensors tests identity. `t in some_list`
calls `==`, unless `in` finds t itself first. If `in` finds another scalar of the same value, the result is True. If
`in` compares t with a tensor of several elements, Python raises "Boolean value of Tensor with more than one value is
ambiguous". PyTorch's engine keys its own records by the address of a node.

Asked next:

- Which graph shows the fault, and which hides it? → The graph of z = p · q shows the fault if p = a · b and q = c · d
  are both 6. The walk mistakes q for p and does not call q's `_backward`, so c and d receive 0. If p and q are leaves
  of equal value, nothing is lost, because z's `_backward` writes their gradients itself.
- The class defines `__eq__` but not `__hash__`. What happens? → Python sets `__hash__` to None, and a set rejects the
  node with a TypeError. An error is better than a wrong gradient. A plain `@dataclass` also sets `__hash__` to None.
  `@dataclass(frozen=True)` hashes by fields, and the fault is back. `@dataclass(eq=False)` compares by identity.
- When can `id(node)` fail too? → `id(node)` fails if a node can be freed during the walk. A new object may then get the
  same address, and so the same id. The new object then counts as visited. In this exercise `root` keeps all nodes alive
  through `_prev`.
- Would a flag on each node work as well? → A flag works for one walk. The flag must be reset before the next walk, and
  two walks at the same time would see each other's flags.
"""

from autodrill.drills import mistake, scenario, shared

HINTS = (
    "Two different nodes hold the same number. What does `node in visited` test?",
    "The walk must know whether this very object was visited. Test identity, not equality.",
    "The set must hold `id(node)`. Change both lines that use the set.",
)


topological = shared(__file__, "../_topological")


@scenario(1, 2, 3, 5, 8, note="repeated values")
def repeating(rng, size):
    inputs = [[] for _ in range(min(2, size))] if size != 2 else [[], [0]]
    while len(inputs) < size:
        inputs.append([len(inputs) - 1, int(rng.integers(len(inputs)))])
    return topological.graph(rng, inputs, rng.integers(1, 3, size))


@scenario(3, note="two leaves hold 2.0")
def two_leaves(rng, size):
    return topological.graph(rng, [[], [], [0, 1]], [2.0, 2.0, 4.0])


@scenario(4, note="NaN values")
def nan_values(rng, size):
    return topological.graph(rng, [[], [0], [0], [1, 2]], [float("nan")] * 4)


@scenario(3, note="the later input depends on the first")
def short_and_long(rng, size):
    return topological.graph(rng, [[], [0], [0, 1]], [3.0, 4.0, 12.0])


@scenario(4, note="x + x and x * x at x = 2")
def sum_and_square(rng, size):
    return topological.graph(rng, [[], [0, 0], [0, 0], [1, 2]], [2.0, 4.0, 4.0, 8.0])


CASES = [
    repeating,
    two_leaves,
    nan_values,
    short_and_long,
    sum_and_square,
    topological.used_twice,
    topological.mirrored_used_twice,
    topological.inputs_repeated,
]


KEPT = []
"""The nodes of all cases. No later node gets an address of these, so a walk that keeps ids fails in the second walk."""


def drive(candidate, edges, data, root):
    comparisons, changes, labels = 0, 0, {}

    class Watched(type):
        def __setattr__(cls, name, value):  # also if the candidate puts the old value back
            nonlocal changes
            changes += 1
            super().__setattr__(name, value)

    class Node(metaclass=Watched):
        def __eq__(self, other):
            nonlocal comparisons
            comparisons += 1
            return isinstance(other, Node) and self.data == other.data

        def __hash__(self):
            return hash(self.data) if self.data == self.data else 0

    # Labels and addresses rise together, so sorting by address gives a topological order in neither direction.
    nodes = sorted((Node() for _ in data), key=id)
    KEPT.append(nodes)
    # Equal numbers become one object, as constants are in real code, so `id(node.data)` cannot tell nodes apart.
    constants = {}
    for label, (node, value) in enumerate(zip(nodes, data.tolist(), strict=True)):
        labels[id(node)] = label
        node.data, node.grad = constants.setdefault(repr(value), value), 0.0
        node._prev = tuple(nodes[source] for consumer, source in edges.tolist() if consumer == label)

    def asked():
        order = candidate(nodes[root])
        return [labels.get(id(n)) for n in order] if isinstance(order, list | tuple) else order

    methods, order = dict(vars(Node)), asked()
    if order is None:
        return None
    # Numbers are compared by their text, because NaN is not equal to itself.
    changed = [
        label
        for label, (node, value) in enumerate(zip(nodes, data.tolist(), strict=True))
        if repr(node.data) != repr(value) or node.grad != 0.0
    ]
    same = all(vars(Node).get(method) is kept for method, kept in methods.items()) and len(vars(Node)) == len(methods)
    return {
        "order": order,
        "comparisons by value": comparisons,
        "class changed": not same or changes > 0,
        "changed": changed,
        "again": asked(),
    }


def judge(answer, edges, data, root):
    if isinstance(answer, dict) and answer.get("class changed") is not False:
        return "changes-the-class: the node class must stay as it is, including `__eq__` and `__hash__`"
    return topological.judge(answer, edges, data, root)


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
    "`in` on a set tests identity",
    "Two different leaves hold 2.0. What does `in` return for the second?",
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


@mistake(
    "list-membership",
    "`in` on a list tests identity",
    "When `in` searches a list, which method of the nodes does it call?",
)
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
    "equality may be repaired in the node class",
    "Which other code compares nodes by value? What does the task say about the class?",
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


@mistake(
    "value-and-inputs",
    "two nodes with equal values and the same inputs are one node",
    "Two leaves hold 2.0, and neither has an input. Are they one leaf?",
)
def bug_visited_equality(root):
    order, visited = [], set()

    def visit(node):
        key = node.data, tuple(map(id, node._prev))
        if key in visited:
            return
        visited.add(key)
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake(
    "searches-the-order",
    "`node in order` tests identity",
    "When `in` searches a list, which method of the nodes does it call?",
)
def bug_visited_equality(root):
    order = []

    def visit(node):
        if node in order:
            return
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake(
    "reversed-pre-order",
    "the walk that starts at the root, in reverse, is a topological order",
    "Your walk meets a node through a short path first, and a longer path also leads to it. Which consumers of this "
    "node has the walk not met yet?",
)
def bug_visited_equality(root):
    order, visited, stack = [], {id(root)}, [root]
    while stack:
        node = stack.pop()
        order.append(node)
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                stack.append(source)
    return order[::-1]


@mistake(
    "level-by-level",
    "the distance from the root orders the nodes",
    "A node may be near the root by one path and far by another. Which path counts?",
)
def bug_visited_equality(root):
    order, visited = [root], {id(root)}
    for node in order:
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                order.append(source)
    return order[::-1]


@mistake(
    "computed-from-the-same",
    "two computed nodes with equal values and the same inputs are one node",
    "At x = 2, x + x and x * x have the same value and the same inputs. Do they send x the same gradient?",
)
def bug_visited_equality(root):
    order, visited = [], set()

    def visit(node):
        key = (node.data, *map(id, node._prev)) if node._prev else id(node)
        if key in visited:
            return
        visited.add(key)
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake(
    "consumers-once",
    "a node counts once as a consumer, but comes off the count once for each use",
    "In x * x, how many times does x occur in `_prev`? How many times do you add to the count, and how many do you "
    "subtract?",
)
def bug_visited_equality(root):
    nodes, count, work = {id(root): root}, {}, [root]
    while work:
        for source in {id(n): n for n in work.pop()._prev}.values():
            count[id(source)] = count.get(id(source), 0) + 1
            if id(source) not in nodes:
                nodes[id(source)] = source
                work.append(source)
    order, ready = [], [root]
    while ready:
        node = ready.pop()
        order.append(node)
        for source in node._prev:
            count[id(source)] -= 1
            if count[id(source)] == 0:
                ready.append(source)
    return order[::-1]


@mistake(
    "visited-when-pushed",
    "a node may be marked as visited when it is pushed",
    "A second consumer reaches a node that is still on the stack. Which of the two consumers must come after the node?",
)
def bug_visited_equality(root):
    order, visited, stack = [], {id(root)}, [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
            continue
        stack.append((node, True))
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                stack.append((source, False))
    return order


@mistake(
    "consumers-once-oldest-first",
    "a node counts once as a consumer, but comes off the count once for each use",
    "In x * x, how many times does x occur in `_prev`? How many times do you add to the count, and how many do you "
    "subtract?",
)
def bug_visited_equality(root):
    nodes, count, work = {id(root): root}, {}, [root]
    while work:
        for source in {id(n): n for n in work.pop()._prev}.values():
            count[id(source)] = count.get(id(source), 0) + 1
            if id(source) not in nodes:
                nodes[id(source)] = source
                work.append(source)
    order = [root]
    for node in order:
        for source in node._prev:
            count[id(source)] -= 1
            if count[id(source)] == 0:
                order.append(source)
    return order[::-1]


@mistake(
    "inputs-once",
    "a node waits for each input once, but each use of an input counts as one input",
    "Let v use u twice, and use w. For how many inputs does v wait? How many are left when u is done?",
)
def bug_visited_equality(root):
    nodes, missing, users, work = {id(root): root}, {}, {}, [root]
    while work:
        node = work.pop()
        missing[id(node)] = len({*map(id, node._prev)})
        for source in node._prev:
            users.setdefault(id(source), []).append(node)
            if id(source) not in nodes:
                nodes[id(source)] = source
                work.append(source)
    order, ready = [], [node for node in nodes.values() if not missing[id(node)]]
    while ready:
        order.append(ready.pop())
        for user in users.get(id(order[-1]), ()):
            missing[id(user)] -= 1
            if missing[id(user)] == 0:
                ready.append(user)
    return order
