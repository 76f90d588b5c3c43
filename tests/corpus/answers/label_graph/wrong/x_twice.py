def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": 2 * x + 2 * y, "y": x}
