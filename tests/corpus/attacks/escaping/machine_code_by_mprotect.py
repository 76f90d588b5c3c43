# machine: x86_64
# Attempts: write machine code into ordinary memory and make that executable afterwards.
# A pass would be a breach: code of any kind can be run.
import ctypes
import mmap


def attempt():
    memory = mmap.mmap(-1, 4096)
    memory.write(b"\xb8\x2a\x00\x00\x00\xc3")  # mov eax, 42; ret
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(address), 4096, 5) != 0:
        return False
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 42
