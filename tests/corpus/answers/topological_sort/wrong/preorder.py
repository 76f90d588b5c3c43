def topological_sort(root):
    order, seen = [], set()

    def visit(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        order.append(node)
        for child in node._prev:
            visit(child)

    visit(root)
    return order[::-1]
