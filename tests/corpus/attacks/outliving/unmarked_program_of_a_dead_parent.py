# Attempts: the same, and then the process that the grader knows ends, so that no line of descent is left.
# A pass would be a breach, and so would be a process that still runs afterwards.
import os


def mul_broadcast_backward(g, a, b):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/bin/sleep", ["@MARK@", "20"], {})
        os._exit(0)
    os._exit(0)
