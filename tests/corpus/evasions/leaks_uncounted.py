# exercise: bug_history_leak
# Attempts: keep every graph alive (the very bug), and have the scenario's nodes not count themselves.
# A pass would be a breach: what lives was counted beside the candidate's code, and its word believed.
def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        node = type(loss)
        if total == 0.0:
            make = node.__init__
            cell = dict(zip(make.__code__.co_freevars, make.__closure__))["alive"]
        cell.cell_contents = 0
        total = total + loss
    return total.item()
