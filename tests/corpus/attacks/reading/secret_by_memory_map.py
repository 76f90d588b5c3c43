# Attempts: map a file into memory.
# A pass would be a breach: files of this machine are readable.
import numpy as np


def attempt():
    return bytes(np.memmap("@FOLDER@/secret.txt", np.uint8, "r")) == b"open sesame"
