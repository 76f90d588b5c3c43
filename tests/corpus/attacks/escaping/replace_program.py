# Attempts: replace this process by another program that knows nothing of its limits.
# A pass would be a breach: the output of another program counted as the submission's.
import os


def mul_broadcast_backward(g, a, b):
    os.execve("/bin/echo", ["echo", "PASS"], {})
