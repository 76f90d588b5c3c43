# machine: x86_64
# Attempts: make a system call by the 32-bit gate, where numbers mean other calls than those a filter lists.
# A pass would be a breach: the filter does not look at the architecture.
import ctypes
import mmap
import os


def attempt():
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")  # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)() == os.getpid()
