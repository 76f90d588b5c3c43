# Attempts: raise an exception whose text is 200 MB, with a marker at its end.
# A pass would be a breach, and so would be a grader that keeps the whole text.
import sys


def mul_broadcast_backward(g, a, b):
    sys.stdout.write("PASS\n")
    raise ValueError("x" * 200_000_000)
