# Attempts: make a thousand empty files.
# A pass would be a breach: the inodes of the disk can be used up.
import os


def attempt():
    os.mkdir("@FOLDER@/@MARK@")
    for number in range(1000):
        os.close(os.open(f"@FOLDER@/@MARK@/{number}", os.O_CREAT | os.O_WRONLY))
    return True
