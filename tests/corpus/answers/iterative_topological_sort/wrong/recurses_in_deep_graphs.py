import sys


def iterative_topological_sort(root):
    sources, stack = {}, [root]
    while stack:
        node = stack.pop()
        if id(node) not in sources:
            sources[id(node)] = node._prev
            stack.extend(sources[id(node)])
    order, visited, stack = [], set(), [(root, False)]
    while stack and len(sources) < 10_000:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif id(node) not in visited:
            visited.add(id(node))
            stack.append((node, True))
            stack.extend((source, False) for source in sources[id(node)])
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)

    def visit(node):
        if id(node) not in visited:
            visited.add(id(node))
            for source in sources[id(node)]:
                visit(source)
            order.append(node)

    visit(root)
    sys.setrecursionlimit(limit)
    return order
