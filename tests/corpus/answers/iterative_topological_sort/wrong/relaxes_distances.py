# finds each node's longest distance from the root by relaxing again whenever it grows, which revisits nodes once per longer path instead of once per edge.


def iterative_topological_sort(root):
    depth = {id(root): 0}
    nodes = {id(root): root}
    todo = [root]
    while todo:
        n = todo.pop()
        d = depth[id(n)] + 1
        for p in n._prev:
            if depth.get(id(p), -1) < d:
                depth[id(p)] = d
                nodes[id(p)] = p
                todo.append(p)
    # deepest nodes first
    return [nodes[k] for k in sorted(nodes, key=lambda k: -depth[k])]
