def bug_history_leak(losses):
    total = next(losses).item() * 0
    for loss in losses:
        total += loss.item()
    return total
