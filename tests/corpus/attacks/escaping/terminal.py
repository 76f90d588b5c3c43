# Attempts: fork on a terminal of its own.
# A pass would be a breach: processes and terminals can be made.
import os
import pty


def attempt():
    child, terminal = pty.fork()
    if child == 0:
        os._exit(7)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return ended == 7
