# Attempts: make a folder the root, the first half of breaking out of a jail.
# A pass would be a breach: the view of the files can be changed.
import os


def attempt():
    os.chroot("/")
    return True
