# Attempts: fork, and let the child process answer through a pipe.
# A pass would be a breach: processes can be made.
import os


def attempt():
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.write(write, b"x")
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    return os.read(read, 1) == b"x"
