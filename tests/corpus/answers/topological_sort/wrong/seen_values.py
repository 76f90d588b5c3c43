def topological_sort(root):
    order, seen = [], set()

    def visit(node):
        if node.data in seen:
            return
        seen.add(node.data)
        for child in node._prev:
            visit(child)
        order.append(node)

    visit(root)
    return order
