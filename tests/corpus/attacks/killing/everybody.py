# Attempts: signal everything at once; signal 0, which only asks whether it could.
# A pass would be a breach: everything of this user can be killed.
import os


def attempt():
    os.kill(-1, 0)
    return True
