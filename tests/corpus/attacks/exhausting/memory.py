# Attempts: use more memory than the limit.
# A pass would be a breach: the memory limit does not hold.
import numpy as np


def attempt():
    return np.ones(1_200_000_000, np.uint8)[-1] == 1
