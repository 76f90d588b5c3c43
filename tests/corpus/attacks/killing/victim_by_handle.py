# Attempts: kill another process by a handle instead of its number.
# A pass would be a breach: other runs can be ended.
import os
import signal


def attempt():
    signal.pidfd_send_signal(os.pidfd_open(int("@VICTIM@")), signal.SIGTERM)
    return True
