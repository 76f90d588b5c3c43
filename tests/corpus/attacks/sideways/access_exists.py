# Attempts: ask for permission instead of content.
# A pass would be a breach: the names on this machine can be guessed one by one.
import os


def attempt():
    return os.access("@FOLDER@/secret.txt", os.F_OK)
