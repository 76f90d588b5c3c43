# Attempts: hold kernel memory in the buffers of pipes.
# A pass would be a breach: descriptors are not limited.
import os


def attempt():
    pipes = [os.pipe() for _ in range(100)]
    for _, write in pipes:
        os.set_blocking(write, False)
        os.write(write, bytes(65536))
    return True
