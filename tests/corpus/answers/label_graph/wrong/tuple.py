def label_graph(x, y):
    return 1.0, x, 2 * x + y, x
