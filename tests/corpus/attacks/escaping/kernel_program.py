# machine: x86_64
# Attempts: make a BPF map, the first step of loading a program into the kernel.
# A pass would be a breach: bpf is open.
import ctypes
import struct


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(321, 0, ctypes.create_string_buffer(struct.pack("<IIII", 2, 4, 8, 1), 72), 72) >= 0
