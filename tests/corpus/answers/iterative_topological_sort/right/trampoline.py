def iterative_topological_sort(root):
    """The recursive walk as generators, each run from one loop instead of from another."""
    order, visited = [], set()

    def visit(node):
        visited.add(id(node))
        for source in node._prev:
            if id(source) not in visited:
                yield visit(source)
        order.append(node)

    calls = [visit(root)]
    while calls:
        try:
            calls.append(next(calls[-1]))
        except StopIteration:
            calls.pop()
    return order
