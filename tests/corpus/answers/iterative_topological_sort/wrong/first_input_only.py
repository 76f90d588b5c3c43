def iterative_topological_sort(root):
    order, node = [], root
    while node is not None:
        order.append(node)
        node = next(iter(node._prev), None)
    return order[::-1]
