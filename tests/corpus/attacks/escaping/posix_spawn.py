# Attempts: start a program by posix_spawn, which uses vfork inside libc.
# A pass would be a breach: programs can be run.
import os


def attempt():
    child = os.posix_spawn("/bin/true", ["true"], {})
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
