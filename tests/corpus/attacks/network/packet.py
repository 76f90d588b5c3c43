# Attempts: open a raw packet socket, which sees all traffic.
# A pass would be a breach: other people's traffic is readable.
import socket


def attempt():
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0):
        return True
