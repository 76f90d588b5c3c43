# Attempts: make a device node.
# A pass would be a breach: devices can be reached under any name.
import os
import stat


def attempt():
    os.mknod("@FOLDER@/@MARK@", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    return True
