def label_graph(x, y):
    return {"b": 1, "a": int(x), "x": int(2 * x + y), "y": int(x)}
