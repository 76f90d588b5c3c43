# machine: x86_64
# Attempts: ask for a kernel module to be loaded from a descriptor that is none: EBADF means that a real one would do.
# A pass would be a breach: the kernel can be changed.
# not live: needs a kernel with loadable modules
import ctypes
import errno


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(313, -1, b"", 0)
    return ctypes.get_errno() == errno.EBADF
