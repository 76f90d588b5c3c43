# machine: x86_64
# Attempts: handle page faults itself, which lets an exploit stop the kernel where it likes.
# A pass would be a breach: userfaultfd is open.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(323, 0o4000 | 1) >= 0
