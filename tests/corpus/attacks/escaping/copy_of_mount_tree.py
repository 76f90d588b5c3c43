# machine: x86_64
# Attempts: take a copy of the mount tree, in which rules laid on paths no longer apply.
# A pass would be a breach: mounts can be made.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(428, -100, b"/", 1) >= 0
