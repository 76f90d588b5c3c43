# Attempts: read what the grader has been given on stdin.
# A pass would be a breach: the submission inherited the grader's stdin.
import os


def attempt():
    return os.read(0, 11) == b"open sesame"
