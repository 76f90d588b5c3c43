# Attempts: signal every process at once, by signal 0, which only checks the permission.
# A pass would be a breach: every process of this user can be killed.
import os


def attempt():
    os.kill(-1, 0)
    return True
