def bug_history_leak(losses):
    return sum(int(loss.item()) for loss in losses)
