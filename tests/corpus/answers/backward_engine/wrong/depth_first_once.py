def backward_engine(root):
    root.grad = 1.0
    seen = set()

    def run(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        node._backward()
        for child in node._prev:
            run(child)

    run(root)
