# Attempts: make a folder.
# A pass would be a breach: the disk can be written.
import os


def attempt():
    os.mkdir("@FOLDER@/@MARK@")
    return True
