# Attempts: open a socket to the kernel's cryptography.
# A pass would be a breach: a large part of the kernel is reachable.
# not live: needs CONFIG_CRYPTO_USER_API
import socket


def attempt():
    with socket.socket(38, socket.SOCK_SEQPACKET):
        return True
