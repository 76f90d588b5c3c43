"""Shared parts of the exercises on topological order: small graphs, a `drive` that asks for an order, and a judge."""

import numpy as np

from autodrill.drills import scenario


def graph(inputs, data):
    """Return a graph whose edges are one array of rows (node, input). One request cannot hold 50,000 lists."""
    edges = [(node, source) for node, sources in enumerate(inputs) for source in sources]
    return {"edges": np.array(edges, int).reshape(-1, 2), "data": np.array(data, float)}


@scenario(1, 2, 3, 5, 8, 12, note="a random graph")
def random_graph(rng, size):
    inputs = [[] for _ in range(min(2, size))]
    while len(inputs) < size:
        inputs.append([int(rng.integers(len(inputs))) for _ in range(int(rng.integers(1, 4)))])
    return graph(inputs, rng.permutation(size))


@scenario(4, note="a diamond with paths of different lengths")
def diamond(rng, size):
    return graph([[], [0], [1], [2, 0]], range(4))


@scenario(4, note="a diamond, inputs in the other order")
def mirrored_diamond(rng, size):
    return graph([[], [0], [1], [0, 2]], range(4))


@scenario(3, note="two nodes with equal values")
def equal_values(rng, size):
    return graph([[], [], [0, 1]], [2.0, 2.0, 4.0])


@scenario(25, note="a doubling chain v = v + v")
def doubling_chain(rng, size):
    return graph([[], *([i, i] for i in range(size - 1))], [2**i for i in range(size)])


@scenario(40_000, note="a node with many inputs", seconds=3.0, because="each input needs only one visit")
def star(rng, size):
    nodes = np.arange(size - 1)
    return {"edges": np.stack([np.full(size - 1, size - 1), nodes], axis=1), "data": np.zeros(size)}


GRAPHS = [random_graph, diamond, mirrored_diamond, equal_values, doubling_chain, star]


def expected(edges, data):
    """Return one of many right orders. It only limits how long an answer may be; `judge` checks the answer."""
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
                raise RecursionError(
                    "the walk is 900 calls deep: it recurses, and a higher recursion limit does not help"
                )

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

    # Sorting by address must not give a topological order, in either direction. Labels and inputs are kept outside the
    # nodes, so no attribute gives the order away.
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

    def asked():
        nonlocal reads
        reads = 0
        order = candidate(nodes[-1])
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


def judge(answer, edges, data):
    """Judge the order and, for a small graph, what the walk changed and whether a second walk is right."""
    if not isinstance(answer, dict):
        return misplaced(answer, edges, data)
    if fault := misplaced(answer.get("order"), edges, data):
        return fault
    changed = answer.get("changed")
    if not isinstance(changed, list) or any(type(label) is not int for label in changed):
        return "marks-nodes: the state of the nodes after the walk is unknown"
    if changed:
        return f"marks-nodes: the walk changes `.data` or `.grad` of node {min(changed)}"
    if fault := misplaced(answer.get("again"), edges, data):
        return f"keeps-state: a second walk over the same graph is wrong: {fault.partition(': ')[2]}"
    return None


def misplaced(order, edges, data):
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
    # Inputs have smaller labels than their consumers, so one pass from the root down finds every node that the root
    # depends on.
    needed = {len(data) - 1}
    for node, source in reversed(edges.tolist()):
        if node in needed:
            needed.add(source)
    if needed - set(order):
        return f"missing: node {min(needed - set(order))} is missing from the list"
    for node, source in edges.tolist():
        if node in needed and place[source] > place[node]:
            return f"order: node {node} comes before its input, node {source}"
    return None
