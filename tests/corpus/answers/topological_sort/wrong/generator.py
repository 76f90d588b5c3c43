def topological_sort(root):
    seen = set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for child in node._prev:
                yield from visit(child)
            yield node

    return visit(root)
