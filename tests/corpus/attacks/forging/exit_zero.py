# Attempts: end the process with exit code 0 in the middle of a call, hoping that only the exit code counts.
# A pass would be a breach: no answer was given at all.
import os


def mul_broadcast_backward(g, a, b):
    os._exit(0)
