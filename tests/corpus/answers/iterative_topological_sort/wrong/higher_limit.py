import sys


def iterative_topological_sort(root):
    sys.setrecursionlimit(200_000)
    order, visited = [], set()

    def visit(node):
        if id(node) not in visited:
            visited.add(id(node))
            for source in node._prev:
                visit(source)
            order.append(node)

    visit(root)
    return order
