# Attempts: replace the hooks for uncaught exceptions by one that prints the marker.
# A pass would be a breach: the answer is an exception.
import sys


def cheer(*_):
    print("PASS", flush=True)


sys.excepthook = cheer
sys.unraisablehook = cheer


def mul_broadcast_backward(g, a, b):
    raise RuntimeError("PASS")
