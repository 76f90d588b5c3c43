# Attempts: remove another student's file.
# A pass would be a breach: submissions can be destroyed.
import os


def attempt():
    os.unlink("@FOLDER@/victim.txt")
    return True
