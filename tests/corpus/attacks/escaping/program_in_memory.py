# Attempts: execute a program from a file that exists in memory only.
# A pass would be a breach: rules on paths do not hold programs back.
import os
import shutil


def attempt():
    program = os.memfd_create("@MARK@")
    with open("/bin/true", "rb") as source, open(program, "wb", closefd=False) as target:
        shutil.copyfileobj(source, target)
    if (child := os.fork()) == 0:
        os.execve(program, ["true"], {})
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
