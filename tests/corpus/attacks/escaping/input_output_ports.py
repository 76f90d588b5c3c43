# machine: x86_64
# Attempts: ask for access to one port of the hardware.
# A pass would be a breach: the hardware can be reached.
# not live: needs CONFIG_X86_IOPL_IOPERM
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(173, 0x80, 1, 1) == 0
