"""Shared parts of the exercises on topological order: small graphs, a `drive` that asks for an order, and a judge."""

import numpy as np

from autodrill.drills import scenario


def graph(rng, inputs, data):
    """Return a graph, given the inputs of each node in a topological order whose last node is the root."""
    edges = [(node, source) for node, sources in enumerate(inputs) for source in sources]
    return shuffled(rng, np.array(edges, int).reshape(-1, 2), np.array(data, float))


def shuffled(rng, edges, data):
    """Return a graph as rows (node, one of its inputs), the nodes' data, and the root, under shuffled labels.

    The candidate's process receives nothing else, so that nothing in it holds a topological order. 50,000 lists would
    be too many parts for one request.
    """
    label = labels(rng, edges, len(data))
    mixed = np.empty_like(data)
    mixed[label] = data
    edges = label[edges]
    # A node's own inputs keep their order, because a wrong walk may fail in one order alone.
    return {"edges": edges[np.argsort(edges[:, 0], kind="stable")], "data": mixed, "root": int(label[-1])}


def labels(rng, edges, count):
    """Return new labels of `count` nodes: neither rising nor falling labels are a topological order, if possible."""
    for _ in range(50):  # some small graphs have no other order
        label = rng.permutation(count)
        rises = label[edges[:, 0]] > label[edges[:, 1]]
        if rises.any() and not rises.all():
            break
    return label


@scenario(1, 2, 3, 5, 8, 12, note="a random graph")
def random_graph(rng, size):
    inputs = [[] for _ in range(min(2, size))]
    while len(inputs) < size:
        inputs.append([int(rng.integers(len(inputs))) for _ in range(int(rng.integers(1, 4)))])
    return graph(rng, inputs, rng.permutation(size))


@scenario(4, note="a diamond with paths of different lengths")
def diamond(rng, size):
    return graph(rng, [[], [0], [1], [2, 0]], range(4))


@scenario(4, note="a diamond, inputs in the other order")
def mirrored_diamond(rng, size):
    return graph(rng, [[], [0], [1], [0, 2]], range(4))


@scenario(3, note="two nodes with equal values")
def equal_values(rng, size):
    return graph(rng, [[], [], [0, 1]], [2.0, 2.0, 4.0])


@scenario(25, note="a doubling chain v = v + v")
def doubling_chain(rng, size):
    return graph(rng, [[], *([i, i] for i in range(size - 1))], [2**i for i in range(size)])


@scenario(100_000, note="a node with many inputs", because="each input needs only one visit")
def star(rng, size):
    nodes = np.arange(size - 1)
    return shuffled(rng, np.stack([np.full(size - 1, size - 1), nodes], axis=1), np.zeros(size))


@scenario(200, note="a chain in which each node also uses the node before the last")
def skipping_chain(rng, size):
    return graph(rng, [[], *([i, i - 1][: i + 1] for i in range(size - 1))], range(size))


@scenario(200, note="the same chain, inputs in the other order")
def mirrored_skipping_chain(rng, size):
    return graph(rng, [[], *([i - 1, i][-i - 1 :] for i in range(size - 1))], range(size))


@scenario(5, note="a node used twice by one consumer and once by another")
def used_twice(rng, size):
    return graph(rng, [[], [0, 0], [0], [2], [1, 3]], range(5))


@scenario(5, note="a node used twice by one consumer and once by another, inputs in the other order")
def mirrored_used_twice(rng, size):
    return graph(rng, [[], [0, 0], [0], [2], [3, 1]], range(5))


# If node 4 waits for two nodes and each use counts, it is released too early, whichever ready node the walk takes.
@scenario(5, note="a node that uses each of its inputs twice")
def inputs_repeated(rng, size):
    return graph(rng, [[], [], [1], [2], [0, 0, 3, 3]], range(5))


GRAPHS = [
    random_graph,
    diamond,
    mirrored_diamond,
    used_twice,
    mirrored_used_twice,
    inputs_repeated,
    equal_values,
    doubling_chain,
    skipping_chain,
    mirrored_skipping_chain,
    star,
]


def expected(edges, data, root):
    """Return one of many right orders. Its length bounds that of an answer; `judge` decides which answers are right."""
    return np.arange(len(data))


def drive(candidate, edges, data, root):
    import sys

    class TooManyVisitsError(Exception):
        pass

    too_deep = "the walk is 900 calls deep: it recurses, and a higher recursion limit does not help"

    def refuse_recursion():
        frame, depth = sys._getframe(), 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
            if depth > 900:
                raise RecursionError(too_deep)

    depths, deepest = {}, 0

    def measure_depth(frame, event, arg):
        """Follow the calls, because a walk can read all inputs first and recurse where it reads nothing."""
        nonlocal deepest
        depth = depths[id(frame)] = depths.get(id(frame.f_back), 0) + 1
        deepest = max(deepest, depth)

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
                    f"`_prev` was read more than {reads - 1} times for {len(data)} nodes: the walk follows every path"
                )
            return inputs[id(self)]

    # Labels and addresses rise together, so sorting by address gives a topological order in neither direction.
    nodes = sorted((Node() for _ in data), key=id)
    sources = [[] for _ in nodes]
    for label, source in edges.tolist():
        sources[label].append(nodes[source])
    for label, (node, value) in enumerate(zip(nodes, data.tolist(), strict=True)):
        node.data, node.grad = value, 0.0
        labels[id(node)], inputs[id(node)] = label, tuple(sources[label])

    def name(n):
        return labels.get(id(n), "a node of an earlier graph" if type(n).__name__ == "Node" else None)

    def asked():
        nonlocal reads
        reads = 0
        # A star is left out: it has no deep walk, and to follow all calls takes time.
        measured = len(data) > 1000 and len(edges) == len(np.unique(edges[:, 0])) and sys.gettrace() is None
        if measured:
            sys.settrace(measure_depth)
        try:
            order = candidate(nodes[root])
        finally:
            ended = measured and sys.gettrace() is not measure_depth
            if measured:
                sys.settrace(None)
        if ended:
            raise RecursionError("the depth of the walk cannot be measured: it ends the tracing, or recurses too deep")
        if deepest > 900:
            raise RecursionError(too_deep)
        if not isinstance(order, list | tuple):
            return None if order is None else type(order).__name__
        found = [name(n) for n in order]
        # A long order returns as one array: 50,000 labels are too many parts for one reply.
        return np.array(found) if len(found) > 1000 and all(type(label) is int for label in found) else found

    order = asked()
    if order is None or len(data) > 1000:
        return order
    changed = [label for label, node in enumerate(nodes) if node.grad != 0.0 or node.data != data[label]]
    return {"order": order, "changed": changed, "again": asked()}


def judge(answer, edges, data, root):
    """Judge the order and, for a small graph, what the walk changed and whether a second walk is right."""
    if not isinstance(answer, dict):
        return misplaced(answer, edges, root)
    if fault := misplaced(answer.get("order"), edges, root):
        return fault
    changed = answer.get("changed")
    if not isinstance(changed, list) or any(type(label) is not int for label in changed):
        return "marks-nodes: the state of the nodes after the walk is unknown"
    if changed:
        return f"marks-nodes: the walk changes `.data` or `.grad` of node {min(changed)}"
    if fault := misplaced(answer.get("again"), edges, root):
        return f"keeps-state: a second walk over the same graph is wrong: {fault.partition(': ')[2]}"
    return None


def misplaced(order, edges, root):
    if isinstance(order, np.ndarray):
        order = order.tolist()
    if not isinstance(order, list):
        return "not-nodes: the result must be a list of nodes"
    if any(isinstance(label, str) for label in order):
        return "keeps-state: the list contains nodes of an earlier graph"
    if any(not isinstance(label, int) for label in order):
        return "not-nodes: the list must contain the nodes themselves"
    place = {label: i for i, label in enumerate(order)}
    for i, label in enumerate(order):
        if place[label] != i:
            return f"twice: node {label} appears in the list twice"
    inputs = {}
    for node, source in edges.tolist():
        inputs.setdefault(node, []).append(source)
    needed, todo = {root}, [root]
    while todo:
        fresh = set(inputs.get(todo.pop(), ())) - needed
        needed |= fresh
        todo += fresh
    if needed - set(order):
        return f"missing: node {min(needed - set(order))} is missing from the list"
    for node, source in edges.tolist():
        if node in needed and place[source] > place[node]:
            return f"order: node {node} comes before its input, node {source}"
    return None
