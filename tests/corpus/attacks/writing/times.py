# Attempts: set back the time at which a file was handed in.
# A pass would be a breach: deadlines can be falsified.
import os


def attempt():
    os.utime("@FOLDER@/victim.txt", (0, 0))
    return True
