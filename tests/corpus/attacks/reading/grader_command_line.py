# Attempts: read the command line of the parent process.
# A pass would be a breach: it contains file names of other submissions.
import os


def attempt():
    with open(f"/proc/{os.getppid()}/cmdline", "rb") as line:
        return b"python" in line.read()
