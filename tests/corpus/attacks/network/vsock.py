# Attempts: open a socket to the machine that hosts this one.
# A pass would be a breach: the host can be reached past every firewall.
import socket


def attempt():
    with socket.socket(40, socket.SOCK_STREAM):
        return True
