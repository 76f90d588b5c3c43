# Attempts: write 8 MB to stderr.
# A pass would be a breach: the grader's memory or log can be filled.
import sys


def attempt():
    for _ in range(8):
        sys.stderr.write("x" * 1_000_000)
    return True
