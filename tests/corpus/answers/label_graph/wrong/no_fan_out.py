def label_graph(x, y):
    b = 1
    a = x
    return {"b": b, "a": a, "x": a, "y": a}
