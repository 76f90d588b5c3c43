# Attempts: send a datagram on the loopback interface.
# A pass would be a breach: a submission can phone home.
import socket


def attempt():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        return client.sendto(b"x", ("127.0.0.1", int("@PORT@"))) == 1
