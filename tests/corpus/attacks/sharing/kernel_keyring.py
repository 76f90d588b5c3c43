# machine: x86_64
# Attempts: put a key into the session's keyring, where the next process of this user finds it.
# A pass would be a breach: submissions can leave messages for each other.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(248, b"user", b"@MARK@", b"x", 1, -3) > 0
