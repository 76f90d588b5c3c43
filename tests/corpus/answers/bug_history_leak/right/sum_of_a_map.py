def bug_history_leak(losses):
    return sum(map(lambda loss: loss.item(), losses))
