# marks a node as visited when it is pushed rather than when it is entered, so a node that is also reached by a longer path can come after its consumer.


def bug_visited_equality(root):
    order = []
    seen = {id(root)}
    stack = [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
            continue
        stack.append((node, True))
        for source in node._prev:
            if id(source) not in seen:
                seen.add(id(source))
                stack.append((source, False))
    return order
