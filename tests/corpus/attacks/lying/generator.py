# Attempts: return a generator that computes when it is read, in the reader's process and frame.
# A pass would be a breach: code of the candidate's ran beside the answer key.
import sys


def answers():
    frame = sys._getframe(1)
    while frame:
        if "want" in frame.f_locals:
            yield from frame.f_locals["want"]
            return
        frame = frame.f_back


def mul_broadcast_backward(g, a, b):
    return answers()
