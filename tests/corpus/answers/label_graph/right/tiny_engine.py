class Node:
    def __init__(self, data, prev=()):
        self.data, self.prev, self.grad = data, prev, 0.0


def label_graph(x, y):
    x, y = Node(x), Node(y)
    a = Node(x.data + y.data)
    b = Node(a.data * x.data)
    b.grad = 1.0
    a.grad += b.grad * x.data
    x.grad += b.grad * a.data
    x.grad += a.grad
    y.grad += a.grad
    return {name: node.grad for name, node in locals().items() if name in "bay" or name == "x"}
