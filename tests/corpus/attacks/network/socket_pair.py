# Attempts: make a pair of sockets, with which two processes of one submission could talk and pass descriptors.
# A pass would be a breach: a family of sockets is open.
import socket


def attempt():
    left, right = socket.socketpair()
    left.send(b"x")
    return right.recv(1) == b"x"
