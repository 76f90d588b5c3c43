# machine: x86_64
# Attempts: map memory that can be written and executed, and run machine code there.
# A pass would be a breach: code of any kind can be run.
import ctypes
import mmap


def attempt():
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(b"\xb8\x2a\x00\x00\x00\xc3")  # mov eax, 42; ret
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 42
