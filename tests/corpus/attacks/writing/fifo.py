# Attempts: lay a FIFO, on which whoever opens it hangs.
# A pass would be a breach: the disk can be written.
import os


def attempt():
    os.mkfifo("@FOLDER@/@MARK@")
    return True
