# Attempts: raise an exception whose text draws a pass on the reader's terminal.
# A pass would be a breach: text of the submission was taken for the report's.


def mul_broadcast_backward(g, a, b):
    print("\x1b[2J\x1b[H\x1b[32mPASS\x1b[0m\nPASS", flush=True)
    raise ValueError("\x1b[2J\x1b[Hpass\u202e")
