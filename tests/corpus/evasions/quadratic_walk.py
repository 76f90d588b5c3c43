# exercise: iterative_topological_sort
# Attempts: read the inputs of each node once, and look for a node in the list of all nodes seen so far.
# A pass would be a breach: the number of reads is right, but the work grows with the square of the number of nodes.


def iterative_topological_sort(root):
    order, listed, stack = [], [], [(root, iter(root._prev))]
    listed.append(id(root))
    while stack:
        node, sources = stack[-1]
        for source in sources:
            if id(source) not in listed:
                listed.append(id(source))
                stack.append((source, iter(source._prev)))
                break
        else:
            order.append(node)
            stack.pop()
    return order
