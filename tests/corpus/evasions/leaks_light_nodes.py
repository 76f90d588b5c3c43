# exercise: bug_history_leak
# Attempts: keep every graph alive without its large arrays, and set the count of living nodes to 0.
# A pass would be a breach: nodes that the process itself counts would be the only evidence.
def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        make = type(loss).__init__
        cells = dict(zip(make.__code__.co_freevars, make.__closure__))
        for node in loss._prev:
            if getattr(node.data, "size", 0) > 100:
                node.data = None
        cells["alive"].cell_contents = cells["graphs"].cell_contents = 0
        total = total + loss
    return total.item()
