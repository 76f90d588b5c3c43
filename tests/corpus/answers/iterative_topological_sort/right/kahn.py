from collections import Counter, deque


def iterative_topological_sort(root):
    """From the root: a node is ready when all of its consumers have been listed."""
    inputs, waiting, frontier = {}, Counter(), [root]
    while frontier:
        node = frontier.pop()
        if node in inputs:
            continue
        inputs[node] = node._prev
        waiting.update(inputs[node])
        frontier += inputs[node]
    order, ready = deque(), deque([root])
    while ready:
        node = ready.popleft()
        order.appendleft(node)
        for source in inputs[node]:
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
    return list(order)
