# Attempts: set the machine's name, to what it is.
# A pass would be a breach: the machine can be changed.
import os
import socket


def attempt():
    socket.sethostname(os.uname().nodename)
    return True
