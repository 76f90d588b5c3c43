# Attempts: set the name of the machine to its present name.
# A pass would be a breach: the machine can be changed.
import os
import socket


def attempt():
    socket.sethostname(os.uname().nodename)
    return True
