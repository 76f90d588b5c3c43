"""A recursive walk does something when it enters a node (look at its inputs) and something when it leaves it (append it
to the order). A stack of nodes alone only knows entering. So each node goes on the stack twice: first to be entered,
and when it is entered, once more with a mark that says "leave", *below* its inputs; when that comes up again,
everything above it is done, and with it all of the node's inputs.

A node may be pushed by several consumers before it is entered for the first time, so the question whether it was
visited is asked when it comes off the stack. Every edge pushes once: O(nodes + edges), and the memory lies on the heap.

`sys.setrecursionlimit` is no way out: whoever uses the engine chooses the depth, and a limit high enough can crash the
interpreter. PyTorch counts instead: a node is run when no consumer is left that has not delivered (Kahn's algorithm),
and of the nodes that are ready the one that was created last comes first.
"""

import numpy as np

from autodrill.drills import mistake, scenario

HINTS = (
    "What does the recursive version do after its loop over the inputs, and how does it still know of the node then?",
    "Put each node on the stack twice, with a mark: once to be entered, once, below its inputs, to be left.",
    "Keep pairs `(node, leaving)`: on entering push the node again, as leaving, then its inputs; on leaving append.",
)


def graph(inputs, data):
    """Rows of (node, one of its inputs): 50,000 lists would be too many parts to hand over."""
    edges = [(node, source) for node, sources in enumerate(inputs) for source in sources]
    return {"edges": np.array(edges, int).reshape(-1, 2), "data": np.array(data, float)}


@scenario(1, 2, 3, 5, 8, 12, note="a random graph")
def random_graph(rng, size):
    inputs = [[] for _ in range(min(2, size))]
    while len(inputs) < size:
        inputs.append([int(rng.integers(len(inputs))) for _ in range(int(rng.integers(1, 4)))])
    return graph(inputs, rng.permutation(size))


@scenario(4, note="a diamond with paths of different length")
def diamond(rng, size):
    return graph([[], [0], [1], [2, 0]], range(4))


@scenario(4, note="a diamond the other way round")
def mirrored_diamond(rng, size):
    return graph([[], [0], [1], [0, 2]], range(4))


@scenario(3, note="two nodes with equal values")
def equal_values(rng, size):
    return graph([[], [], [0, 1]], [2.0, 2.0, 4.0])


@scenario(25, note="a doubling chain v = v + v")
def doubling_chain(rng, size):
    return graph([[], *([i, i] for i in range(size - 1))], [2**i for i in range(size)])


@scenario(50_000, note="a chain of 50,000 nodes")
def chain(rng, size):
    return graph([[], *([i] for i in range(size - 1))], [0.0] * size)


CASES = [random_graph, diamond, mirrored_diamond, equal_values, doubling_chain, chain]


def expected(edges, data):
    """One right order of many: it says how long an answer may be, and `judge` decides."""
    return np.arange(len(data))


def drive(candidate, edges, data):
    import sys

    class TooManyVisitsError(Exception):
        pass

    def refuse_recursion():
        frame, depth = sys._getframe(), 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
            if depth > 900:
                raise RecursionError("the walk is 900 calls deep: it recurses, whatever the limit is set to")

    reads, inputs, labels = 0, {}, {}

    class Node:
        __slots__ = ("data", "grad")

        @property
        def _prev(self):
            nonlocal reads
            reads += 1
            if reads % 100 == 0:
                refuse_recursion()
            if reads > 20 * len(data) + 20:
                raise TooManyVisitsError(
                    f"`_prev` was read more than {reads - 1} times for {len(data)} nodes: every path is walked"
                )
            return inputs[id(self)]

    # Neither the order of their addresses nor its reverse is topological, and a node carries nothing that is: the
    # labels and inputs are kept apart from it.
    nodes = sorted((Node() for _ in data), key=id)
    nodes[:2] = reversed(nodes[:2])
    sources = [[] for _ in nodes]
    for label, source in edges.tolist():
        sources[label].append(nodes[source])
    for label, (node, value) in enumerate(zip(nodes, data.tolist(), strict=True)):
        node.data, node.grad = value, 0.0
        labels[id(node)], inputs[id(node)] = label, tuple(sources[label])

    def name(n):
        return labels.get(id(n), "a node of an earlier graph" if type(n).__name__ == "Node" else None)

    order = candidate(nodes[-1])
    return [name(n) for n in order] if isinstance(order, list | tuple) else order


def judge(order, edges, data):
    if not isinstance(order, list):
        return "type: the result must be a list of nodes"
    if any(isinstance(label, str) for label in order):
        return "keeps-state: the list holds nodes of an earlier graph"
    if any(not isinstance(label, int) for label in order):
        return "type: the list must hold the nodes themselves"
    place = {label: i for i, label in enumerate(order)}
    for i, label in enumerate(order):
        if place[label] != i:
            return f"twice: node {label} stands in the list twice"
    # Inputs have smaller labels than their consumers, so one pass from the root down finds what it depends on.
    needed = {len(data) - 1}
    for node, source in reversed(edges.tolist()):
        if node in needed:
            needed.add(source)
    if needed - set(order):
        return f"missing: node {min(needed - set(order))} is missing from the list"
    for node, source in edges.tolist():
        if node in needed and place[source] > place[node]:
            return f"order: node {node} stands before its input, node {source}"
    return None


def iterative_topological_sort(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif id(node) not in visited:
            visited.add(id(node))
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order


@mistake(
    "recursive",
    "Python's own stack is deep enough",
    "How deep does Python recurse, and how many steps may a recurrent network have?",
)
def iterative_topological_sort(root):
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
    "stack-without-leave",
    "coming off the stack is the moment to append a node",
    "A node is met twice in a walk: when it is entered and when it is left. Which of the two does your stack know?",
)
def iterative_topological_sort(root):
    order, visited, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        if id(node) not in visited:
            visited.add(id(node))
            order.append(node)
            stack.extend(node._prev)
    return order[::-1]


@mistake(
    "queue",
    "distance from the root orders the nodes",
    "A node may be near the root by one path and far by another. Which one counts?",
)
def iterative_topological_sort(root):
    order, visited, queue = [], {id(root)}, [root]
    for node in queue:
        order.append(node)
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                queue.append(source)
    return order[::-1]


@mistake(
    "visited-when-pushed",
    "a node may be marked when it is put on the stack",
    "A node that waits on the stack is pushed by a second consumer. Which of the two consumers must wait for it?",
)
def iterative_topological_sort(root):
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
    "root-first",
    "the order of the list is the order of reverse mode",
    "Read the task again: which end of the list does the root stand at?",
)
def iterative_topological_sort(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif id(node) not in visited:
            visited.add(id(node))
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order[::-1]


@mistake("no-visited", "every path must be walked", "Count the visits in a chain of v = v + v.")
def iterative_topological_sort(root):
    walk, stack = [], [root]
    while stack:
        node = stack.pop()
        walk.append(node)
        stack.extend(node._prev)
    return list({id(node): node for node in reversed(walk)}.values())
