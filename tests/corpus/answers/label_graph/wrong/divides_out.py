def label_graph(x, y):
    a = x + y
    L = a * x
    return {'b': 1.0, 'a': L / a, 'x': L / x, 'y': x}
