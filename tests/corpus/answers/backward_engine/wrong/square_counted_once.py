# counts an operand that a node uses twice as one consumer but releases it twice, so the operand may run before another consumer
def backward_engine(root):
    # number of consumers that still have to run
    pending = {}
    seen = {id(root)}
    stack = [root]
    while stack:
        node = stack.pop()
        inputs = {id(p): p for p in node._prev}
        for key, p in inputs.items():
            pending[key] = pending.get(key, 0) + 1
            if key not in seen:
                seen.add(key)
                stack.append(p)

    root.grad += 1.0
    ready = [root]
    while ready:
        node = ready.pop()
        node._backward()
        for p in node._prev:
            pending[id(p)] -= 1
            if pending[id(p)] == 0:
                ready.append(p)
