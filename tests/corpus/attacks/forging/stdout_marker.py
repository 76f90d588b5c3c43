# Attempts: print what a grader would print for a pass.
# A pass would be a breach: stdout is the candidate's to write, so nothing in it may count.


def mul_broadcast_backward(g, a, b):
    print("PASS", flush=True)
    return None
