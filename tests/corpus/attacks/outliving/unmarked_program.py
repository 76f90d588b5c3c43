# Attempts: leave a program behind that has another environment and another session.
# A pass would be a breach: something runs on when the verdict is long given.
import os


def attempt():
    if os.fork() == 0:
        os.setsid()
        os.execve("/bin/sleep", ["@MARK@", "20"], {})
    return True
