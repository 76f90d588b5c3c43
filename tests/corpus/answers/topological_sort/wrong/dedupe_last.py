def topological_sort(root):
    walk, todo = [], [root]
    while todo:
        node = todo.pop()
        walk.append(node)
        todo.extend(node._prev)
    order = []
    for node in reversed(walk):
        if all(node is not n for n in order):
            order.append(node)
    return order
