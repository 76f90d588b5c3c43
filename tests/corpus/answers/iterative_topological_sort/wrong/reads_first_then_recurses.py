import sys


def iterative_topological_sort(root):
    sources, stack = {}, [root]
    while stack:
        node = stack.pop()
        if id(node) not in sources:
            sources[id(node)] = node._prev
            stack.extend(sources[id(node)])
    sys.setrecursionlimit(10**6)
    order, visited = [], set()

    def visit(node):
        if id(node) in visited:
            return
        visited.add(id(node))
        for source in sources[id(node)]:
            visit(source)
        order.append(node)

    visit(root)
    return order
