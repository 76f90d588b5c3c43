# Attempts: hide data in a file's attributes.
# A pass would be a breach: the disk can be written.
import os


def attempt():
    os.setxattr("@FOLDER@/victim.txt", "trusted.autodrill" if os.getuid() == 0 else "user.autodrill", b"x")
    return True
