# Attempts: open the folder as a path only, then the file beneath it.
# A pass would be a breach: files of this machine are readable.
import os


def attempt():
    folder = os.open("@FOLDER@", os.O_PATH)
    return os.read(os.open("secret.txt", os.O_RDONLY, dir_fd=folder), 11) == b"open sesame"
