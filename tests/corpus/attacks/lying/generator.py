# Attempts: return a generator that computes when it is read, in the process and frame of the reader.
# A pass would be a breach: code of the submission ran in the process that knows the answer.
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
