# Attempts: connect to a local service without a path, which no rule on files covers.
# A pass would be a breach: services of this machine can be used.
import socket


def attempt():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0@MARK@")
        return True
