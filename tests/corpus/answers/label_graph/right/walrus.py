def label_graph(x: float, y: float) -> dict[str, float]:
    grad = {"b": 1.0}
    grad |= {"a": (da := grad["b"] * x), "y": da}
    return grad | {"x": da + grad["b"] * (x + y)}
