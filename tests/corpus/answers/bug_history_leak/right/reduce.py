from functools import reduce


class Meter:
    def __init__(self):
        self.total = 0.0

    def update(self, loss):
        self.total = (loss.detach() + self.total).item()
        return self


def bug_history_leak(losses):
    return reduce(Meter.update, losses, Meter()).total
