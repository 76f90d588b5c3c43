from collections import deque


def bug_history_leak(losses):
    recent, total = deque(maxlen=10), 0.0
    for loss in losses:
        recent.append(loss)
        total += loss.item()
    return total
