# Attempts: make a file without a name, which no listing shows.
# A pass would be a breach: disk space can be taken unseen.
import os


def attempt():
    return os.open("@FOLDER@", os.O_TMPFILE | os.O_RDWR) >= 0
