# Attempts: change who may read a file.
# A pass would be a breach: permissions can be changed.
import os


def attempt():
    os.chmod("@FOLDER@/victim.txt", 0o644)
    return True
