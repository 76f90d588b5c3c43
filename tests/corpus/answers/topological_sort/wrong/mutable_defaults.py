def topological_sort(root, order=[], seen=set()):
    if id(root) not in seen:
        seen.add(id(root))
        for child in root._prev:
            topological_sort(child)
        order.append(root)
    return order
