from collections import Counter, deque


def topological_sort(root):
    nodes, todo, uses = {id(root): root}, [root], Counter()
    while todo:
        for n in todo.pop()._prev:
            uses[id(n)] += 1
            if id(n) not in nodes:
                nodes[id(n)] = n
                todo.append(n)
    order, ready = deque(), [root]
    while ready:
        node = ready.pop()
        order.appendleft(node)
        for n in node._prev:
            uses[id(n)] -= 1
            if not uses[id(n)]:
                ready.append(n)
    return list(order)
