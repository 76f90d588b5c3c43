def backward_engine(root):
    waiting, seen, todo = {}, set(), [root]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for child in node._prev:
            waiting[id(child)] = waiting.get(id(child), 0) + 1
            todo.append(child)
    root.grad = 1.0
    ready = [root]
    while ready:
        node = ready.pop()
        node._backward()
        for child in node._prev:
            waiting[id(child)] -= 1
            if waiting[id(child)] == 0:
                ready.append(child)
