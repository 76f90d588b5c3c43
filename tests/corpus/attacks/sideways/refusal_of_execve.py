# Attempts: tell a file that is there from one that is not by the error of `execve`.
# A pass would be a breach: the refusal itself leaks names.
import os


def errno_of(path):
    try:
        os.execve(path, [path], {})
    except OSError as error:
        return error.errno
    return 0


def attempt():
    return errno_of("@FOLDER@/secret.txt") != errno_of("@FOLDER@/nothing.txt")
