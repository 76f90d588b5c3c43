# Attempts: make shared memory by its POSIX name.
# A pass would be a breach: submissions can leave messages for each other.
import os


def attempt():
    return os.open("/dev/shm/@MARK@", os.O_CREAT | os.O_EXCL | os.O_RDWR) >= 0
