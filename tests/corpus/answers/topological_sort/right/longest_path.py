import sys

sys.setrecursionlimit(20_000)


def topological_sort(root):
    depth, nodes = {}, []

    def height(node):
        if id(node) not in depth:
            depth[id(node)] = 1 + max(map(height, node._prev), default=0)
            nodes.append(node)
        return depth[id(node)]

    height(root)
    return sorted(nodes, key=lambda n: depth[id(n)])
