# Attempts: become another user.
# A pass would be a breach: limits that go by user can be left.
import os


def attempt():
    before = os.getresuid()
    os.setresuid(-1, 65534 if os.getuid() == 0 else 0, -1)
    changed = os.geteuid() != before[1]
    os.setresuid(-1, before[1], -1)
    return changed
