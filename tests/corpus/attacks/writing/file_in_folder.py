# Attempts: create a file beside the submissions.
# A pass would be a breach: the disk can be written.


def attempt():
    with open("@FOLDER@/@MARK@", "xb", buffering=0) as file:
        return file.write(b"x") == 1
