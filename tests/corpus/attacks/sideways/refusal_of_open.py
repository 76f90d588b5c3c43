# Attempts: tell a file that is there from one that is not by the error that `open` is refused with.
# A pass would be a breach: the refusal itself leaks names.


def errno_of(path):
    try:
        open(path, encoding="utf-8").close()
    except OSError as error:
        return error.errno
    return 0


def attempt():
    return errno_of("@FOLDER@/secret.txt") != errno_of("@FOLDER@/nothing.txt")
