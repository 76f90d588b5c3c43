# Attempts: use more memory than the limit, a little at a time.
# A pass would be a breach: the memory limit does not hold.


def attempt():
    return len([bytearray(1 << 20) for _ in range(1_200)]) == 1_200
