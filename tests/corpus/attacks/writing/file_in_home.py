# Attempts: leave a file in the home folder, where start-up files lie.
# A pass would be a breach: something of the submission stays on the machine.
import os
import pwd


def attempt():
    return os.open(f"{pwd.getpwuid(os.getuid()).pw_dir}/@MARK@", os.O_CREAT | os.O_EXCL | os.O_WRONLY) >= 0
