import numpy as np


def bug_history_leak(losses):
    return np.sum([loss.item() for loss in losses])
