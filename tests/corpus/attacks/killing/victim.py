# Attempts: kill another process of the same user.
# A pass would be a breach: other runs can be ended.
import os
import signal


def attempt():
    os.kill(int("@VICTIM@"), signal.SIGTERM)
    return True
