def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        value = loss.item()
        if value > 0:
            total += value
    return total
