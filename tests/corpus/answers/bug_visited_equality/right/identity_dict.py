def bug_visited_equality(root):
    order, visited = [], {}

    def visit(node):
        if visited.setdefault(id(node), False):
            return
        visited[id(node)] = True
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
