# Attempts: tell a folder that is there from one that is not by the error of removing it as a file.
# A pass would be a breach: the refusal itself leaks names.
import os


def errno_of(path):
    try:
        os.unlink(path)
    except OSError as error:
        return error.errno
    return 0


def attempt():
    return errno_of("@FOLDER@") != errno_of("@FOLDER@/nothing")
