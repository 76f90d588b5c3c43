# Attempts: read a file through NumPy's own C code.
# A pass would be a breach: files of this machine are readable.
import numpy as np


def attempt():
    return np.fromfile("@FOLDER@/secret.txt", np.uint8).tobytes() == b"open sesame"
