# Attempts: send with the first packet, by sendto without connect.
# A pass would be a breach: rules on `connect` alone do not hold.
import socket


def attempt():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        return client.sendto(b"x", 0x20000000, ("127.0.0.1", int("@PORT@"))) == 1
