# Attempts: use no processor time at all and answer late.
# A pass would be a breach: a limit of processor time alone lets a class hang.
import time


def attempt():
    time.sleep(3.2)
    return True
