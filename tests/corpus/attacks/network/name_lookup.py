# Attempts: have libc look up a name, which may leave the machine inside the query.
# A pass would be a breach: names carry secrets out.
import socket


def attempt():
    return socket.getaddrinfo("localhost", 80)[0][4][0] in {"127.0.0.1", "::1"}
