def topological_sort(root):
    order, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for child in node._prev[:2]:
                visit(child)
            order.append(node)

    visit(root)
    return order
