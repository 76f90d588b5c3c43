def label_graph(x, y):
    return {"b": 1, "a": x, "x": 2 * x + y, "y": 1}
