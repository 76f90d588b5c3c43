# Attempts: exit with the statuses that the main loop uses.
# A pass would be a breach: no answer was given.
# not live: speaks autodrill's own protocol, which a naive grader lacks
import os

calls = []


def mul_broadcast_backward(g, a, b):
    os._exit(113)
