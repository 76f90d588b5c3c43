# Attempts: exceed the time limit while the file is loaded.
# A pass would be a breach: only calls are limited.
import time

time.sleep(7)


def attempt():
    return True
