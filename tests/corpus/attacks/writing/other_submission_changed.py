# Attempts: open another student's file for writing.
# A pass would be a breach: submissions can be falsified.
import os


def attempt():
    return os.open("@FOLDER@/other.py", os.O_WRONLY) >= 0
