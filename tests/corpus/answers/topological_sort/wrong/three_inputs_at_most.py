def topological_sort(root):
    order, seen = [], set()

    def visit(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        for source in node._prev[:3]:
            visit(source)
        order.append(node)

    visit(root)
    return order
