def backward_engine(root):
    root.grad = 1.0
    queue, seen = [root], {id(root)}
    while queue:
        node = queue.pop(0)
        node._backward()
        for child in node._prev:
            if id(child) not in seen:
                seen.add(id(child))
                queue.append(child)
