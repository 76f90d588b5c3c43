# machine: x86_64
# Attempts: make a piece of shared memory that outlives the process.
# A pass would be a breach: submissions can leave messages for each other.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(29, 0x0AD71111, 4096, 0o1600) >= 0
