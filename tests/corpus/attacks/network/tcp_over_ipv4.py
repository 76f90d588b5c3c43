# Attempts: connect to a server on the loopback interface.
# A pass would be a breach: a submission can phone home.
import socket


def attempt():
    with socket.create_connection(("127.0.0.1", int("@PORT@")), 1):
        return True
