# Attempts: open a raw IP socket.
# A pass would be a breach: forged packets can be sent.
import socket


def attempt():
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP):
        return True
