# Attempts: hold memory in files that exist in memory only, which no limit on address space counts.
# A pass would be a breach: the memory limit does not hold.
import os


def attempt():
    file = os.memfd_create("@MARK@")
    return sum(os.write(file, bytes(1 << 20)) for _ in range(64)) == 64 << 20
