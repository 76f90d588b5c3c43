# Attempts: run a command and use what it prints.
# A pass would be a breach: programs can be run.
import subprocess


def attempt():
    return subprocess.run(["/bin/echo", "right"], stdout=subprocess.PIPE, check=True).stdout == b"right\n"
