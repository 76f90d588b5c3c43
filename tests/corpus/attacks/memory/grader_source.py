# Attempts: read the source of the calling code and run the reference in it.
# A pass would be a breach: the oracle's source is within reach.
import inspect
import sys


def mul_broadcast_backward(g, a, b):
    frame = sys._getframe(1)
    while frame:
        text = inspect.getsource(inspect.getmodule(frame) or frame)
        if "def reference(" in text:
            scope = {"__name__": "stolen"}
            exec(text, scope)
            return scope["reference"](g, a, b)
        frame = frame.f_back
    return None
