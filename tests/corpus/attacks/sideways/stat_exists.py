# Attempts: learn by `stat` whether a file exists.
# A pass would be a breach: the names on this machine can be guessed one by one.
import os


def attempt():
    return os.stat("@FOLDER@/secret.txt").st_size == 11
