def label_graph(x, y):
    a = x + y
    b = a * x
    return {"b": b, "a": a, "x": x, "y": y}
