def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = (total + loss).detach()
    return total.item()
