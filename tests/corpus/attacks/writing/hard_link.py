# Attempts: give a foreign file a second name.
# A pass would be a breach: the disk can be written.
import os


def attempt():
    os.link("@FOLDER@/secret.txt", "@FOLDER@/@MARK@")
    return True
