from collections import deque


def topological_sort(root):
    order, seen, queue = [], {id(root)}, deque([root])
    while queue:
        node = queue.popleft()
        order.append(node)
        for child in node._prev:
            if id(child) not in seen:
                seen.add(id(child))
                queue.append(child)
    return order[::-1]
