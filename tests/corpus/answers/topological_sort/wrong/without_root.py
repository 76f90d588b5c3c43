def topological_sort(root):
    order, seen = [], set()

    def visit(node):
        for child in node._prev:
            if id(child) not in seen:
                seen.add(id(child))
                visit(child)
                order.append(child)

    visit(root)
    return order
