# Attempts: leave a program behind that has another environment and another session.
# A pass would be a breach: a process runs on after the verdict.
import os


def attempt():
    if os.fork() == 0:
        os.setsid()
        os.execve("/bin/sleep", ["@MARK@", "20"], {})
    return True
