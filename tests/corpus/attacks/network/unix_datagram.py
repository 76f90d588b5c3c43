# Attempts: send a local datagram.
# A pass would be a breach: services of this machine (its log) can be written to.
import socket


def attempt():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
        return client.sendto(b"x", "@FOLDER@/log") == 1
