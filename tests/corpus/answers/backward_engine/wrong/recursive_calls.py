def backward_engine(root):
    root.grad = 1.0

    def run(node):
        node._backward()
        for child in node._prev:
            run(child)

    run(root)
