# Attempts: open a server of one's own and talk to it.
# A pass would be a breach: others can be served answers.
import socket


def attempt():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 1):
        return True
