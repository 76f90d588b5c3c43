# Attempts: cut a file of another student's to nothing.
# A pass would be a breach: submissions can be destroyed.
import os


def attempt():
    os.truncate("@FOLDER@/victim.txt", 0)
    return True
