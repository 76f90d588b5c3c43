def label_graph(x, y):
    return {"b": 1.0, "a": x, "x": x + y, "y": x}
