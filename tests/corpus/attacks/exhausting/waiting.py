# Attempts: use no processor time at all and answer late.
# A pass would be a breach: only processor time is limited.
import time


def attempt():
    time.sleep(7)
    return True
