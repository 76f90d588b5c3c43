# machine: x86_64
# Attempts: leave the grader's view of the files by a namespace of mounts.
# A pass would be a breach: rules on mounts can be left.
import ctypes


def attempt():
    return ctypes.CDLL(None, use_errno=True).syscall(272, 0x00020000) == 0
