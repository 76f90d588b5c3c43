# Attempts: start forty processes.
# A pass would be a breach: the table of processes can be filled.
import os


def attempt():
    children = []
    for _ in range(40):
        child = os.fork()
        if child == 0:
            os._exit(0)
        children.append(child)
    return all(os.waitpid(child, 0)[0] == child for child in children)
