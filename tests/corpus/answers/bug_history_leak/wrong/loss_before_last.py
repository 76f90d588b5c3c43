def bug_history_leak(losses):
    total, previous = 0.0, None
    for loss in losses:
        if previous is not None:
            change = loss.item() - previous.item()
            print(f"changed by {change:+.3f}")
        total += loss.item()
        previous, current = loss, previous
    return total
