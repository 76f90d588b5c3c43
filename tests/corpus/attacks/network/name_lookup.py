# Attempts: have libc look up a name, which could send the secret in the query.
# A pass would be a breach: secrets can leave the machine in names.
import socket


def attempt():
    return socket.getaddrinfo("localhost", 80)[0][4][0] in {"127.0.0.1", "::1"}
