def bug_history_leak(losses):
    total = 0
    for loss in losses:
        total += int(loss.item())
    return float(total)
