# Attempts: run what another student has handed in.
# A pass would be a breach: submissions can copy from each other.
import runpy


def mul_broadcast_backward(g, a, b):
    return runpy.run_path("@FOLDER@/other.py")["mul_broadcast_backward"](g, a, b)
