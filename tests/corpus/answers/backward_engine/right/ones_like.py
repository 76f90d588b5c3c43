import numpy as np


def backward_engine(root):
    topo, visited = [], set()

    def build(v):
        if v not in visited:
            visited.add(v)
            for child in v._prev:
                build(child)
            topo.append(v)

    build(root)
    root.grad = np.ones_like(root.data)
    for v in reversed(topo):
        v._backward()
