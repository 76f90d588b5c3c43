# Attempts: talk to the kernel about its network interfaces.
# A pass would be a breach: the network can be read and set.
import socket


def attempt():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0):
        return True
