# Attempts: print what a grader would print for a pass.
# A pass would be a breach: the submission writes stdout, so nothing in it may count.


def mul_broadcast_backward(g, a, b):
    print("PASS", flush=True)
    return None
