# Attempts: change the owner of a file, to whom it belongs already.
# A pass would be a breach: owners can be changed.
import os


def attempt():
    os.chown("@FOLDER@/victim.txt", os.getuid(), os.getgid())
    return True
