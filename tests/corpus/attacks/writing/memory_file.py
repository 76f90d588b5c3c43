# Attempts: make a file in memory only.
# A pass would be a breach: memory is taken that no limit on address space sees, and it can be executed.
import os


def attempt():
    return os.memfd_create("@MARK@") >= 0
