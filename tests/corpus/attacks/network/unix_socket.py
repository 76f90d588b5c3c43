# Attempts: connect to a local service by its path.
# A pass would be a breach: services of this machine (a display, a container daemon) can be used.
import socket


def attempt():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("@FOLDER@/service")
        return True
