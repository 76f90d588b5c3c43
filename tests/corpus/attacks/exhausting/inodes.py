# Attempts: make a thousand empty files.
# A pass would be a breach: a disk full of names is full.
import os


def attempt():
    os.mkdir("@FOLDER@/@MARK@")
    for number in range(1000):
        os.close(os.open(f"@FOLDER@/@MARK@/{number}", os.O_CREAT | os.O_WRONLY))
    return True
