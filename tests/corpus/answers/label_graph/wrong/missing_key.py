def label_graph(x, y):
    return {"a": x, "x": 2 * x + y, "y": x}
