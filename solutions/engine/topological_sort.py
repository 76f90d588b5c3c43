"""A topological sort is a depth-first search that appends a node when it *leaves* the node. By then all inputs of the
node have been appended. A set of node identities ensures that each node is entered once. So the time is linear in the
number of edges, although a chain of n diamonds has 2ⁿ paths.

Reverse mode needs this order because a node may send its gradient on only when all of its consumers have delivered
their contributions. In the reversed list every consumer comes before its inputs. Breadth-first order does not guarantee
this. If two paths to a node differ in length, the search may reach the node too early by the short path. Whether this
happens depends on the order of the inputs.

The set tests identity, not value, because two leaves may both hold 2.0.

Cost: O(nodes + edges), because each node is entered once and each edge is followed once. The list and the set have one
entry per node. The recursion is as deep as the longest path it walks, and Python stops at about a thousand calls by
default. So a recurrent network of a thousand steps needs an explicit stack.

PyTorch: the engine sorts nothing beforehand. A first walk, with a stack of its own, counts for each node the edges that
lead to it. A node whose count has reached 0 enters the queue of its device. From this queue the engine takes the node
that was made last. (`_sequence_nr()` shows a node's number; the accumulators of leaves have the largest possible
number.) The engine does not recurse, so a chain of 100,000 operations works. In `x * x` both edges lead to one
accumulator, which runs once, on the sum of both gradients.

Asked next:

- A graph has many right orders. How do you test a result? → Test the property instead of comparing with one list. The
  result must hold each node reachable from the root once, and nothing else. Every node must come after each of its
  inputs.
- How do you avoid recursion? → Keep a stack of pairs of a node and an iterator over its inputs, and append the node
  when its iterator is exhausted. Or use Kahn's algorithm: count each node's consumers and, starting from the root, take
  nodes whose count has reached 0. Kahn's algorithm gives the order of reverse mode directly.
- Can you avoid sorting? → Yes, by numbering nodes as they are made. An operation is made after its inputs, so
  descending numbers put every consumer before its inputs. A list of nodes in the order in which they were made is
  called a tape. The numbering fails if a node's inputs are replaced later.
- What does your function do if there is a cycle? → The function ends, because each node is entered once. But the order
  that it returns is not topological, and no error is raised. To detect a cycle, mark a node as open on entering and as
  done on leaving. An edge to an open node closes a cycle.
"""

from autodrill.drills import mistake, scenario, shared

HINTS = (
    "When is it safe to append a node to the list: when you enter it or when you leave it?",
    "Use depth-first search with a set of visited nodes. Append a node after all of its inputs have been visited.",
    (
        "Write an inner function `visit(node)`. Return if its `id` was seen. Otherwise store the `id`, visit each of "
        "`node._prev`, then append."
    ),
)


topological = shared(__file__, "../_topological")
expected, drive, judge = topological.expected, topological.drive, topological.judge


@scenario(7, note="a node with five inputs")
def five_inputs(rng, size):
    return topological.graph(rng, [[], [], [0], [], [], [1, 0, 2, 3, 4], [5]], rng.permutation(7))


# The square uses node 0 twice, and the chain uses it once.
@scenario(6, note="a square and a chain of one input")
def square_and_chain(rng, size):
    return topological.graph(rng, [[], [0], [1], [2], [0, 0], [3, 4]], rng.permutation(6))


CASES = [*topological.GRAPHS, five_inputs, square_and_chain]


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
    "the distance from the root orders the nodes",
    "A node may be near the root by one path and far by another. Which path counts?",
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
    "a node may be appended when it is entered",
    "When is it safe to append a node: on entering it or on leaving it?",
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


@mistake(
    "no-visited",
    "every path must be walked",
    "Start from a leaf v and repeat v = v + v thirty times. How many visits does your walk make?",
)
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
    "Two leaves may both hold 2.0. Do you need identity or equality?",
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
    "the list must be in the order of reverse mode",
    "Read the task again: at which end of the list must the root be?",
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
    "the walk may store its visited marks on the nodes",
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
    "searching for a node among those seen costs nothing",
    "A node has 100,000 inputs. How many nodes does `in` look at before it knows that the last input is new?",
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


@mistake(
    "consumers-once",
    "a node counts once as a consumer, but comes off the count once for each use",
    "In x * x, how many times does x occur in `_prev`? How many times do you add to the count, and how many do you "
    "subtract?",
)
def topological_sort(root):
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
    "consumers-once-oldest-first",
    "a node counts once as a consumer, but comes off the count once for each use",
    "In x * x, how many times does x occur in `_prev`? How many times do you add to the count, and how many do you "
    "subtract?",
)
def topological_sort(root):
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
def topological_sort(root):
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


@mistake(
    "visited-when-pushed",
    "a node may be marked as visited when it is pushed",
    "A second consumer reaches a node that is still on the stack. Which of the two consumers must come after the node?",
)
def topological_sort(root):
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
