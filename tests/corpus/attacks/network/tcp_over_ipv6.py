# Attempts: connect over IPv6.
# A pass would be a breach: a submission can phone home.
import socket


def attempt():
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        client.connect(("::1", int("@PORT6@")))
        return True
