# Attempts: trace the calling code, and change its variables so that all comparisons agree.
# A pass would be a breach: the submission can change the judge's frames.
import sys


def agree(frame, event, argument):
    if event == "return" and frame.f_code.co_name == "report":
        frame.f_globals["failures"].clear()
    return agree


sys.setprofile(lambda frame, event, argument: agree(frame, event, argument))


def mul_broadcast_backward(g, a, b):
    return g * 0 + 7.0, g * 0 + 7.0
