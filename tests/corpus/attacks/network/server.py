# Attempts: open a server and connect to it.
# A pass would be a breach: other submissions can receive answers.
import socket


def attempt():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 1):
        return True
