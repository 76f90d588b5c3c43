# Attempts: learn where the interpreter is installed by reading a link.
# A pass would be a breach: links can be read.
import os


def attempt():
    return os.readlink("/proc/self/exe").startswith("/")
