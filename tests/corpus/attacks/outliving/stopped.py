# Attempts: stop itself, as a stopped process gets no signal delivered.
# A pass would be a breach: a call that did not end counted.
import os
import signal


def mul_broadcast_backward(g, a, b):
    print("PASS", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
