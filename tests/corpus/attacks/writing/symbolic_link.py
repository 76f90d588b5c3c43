# Attempts: lay a symbolic link for the grader to follow.
# A pass would be a breach: the disk can be written.
import os


def attempt():
    os.symlink("/etc/passwd", "@FOLDER@/@MARK@")
    return True
