# Attempts: create a file with nothing in it, which a limit of file sizes does not forbid.
# A pass would be a breach: the disk can be written.
import os


def attempt():
    return os.open("@FOLDER@/@MARK@", os.O_CREAT | os.O_EXCL | os.O_WRONLY) >= 0
