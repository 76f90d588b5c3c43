"""The numbers of Linux system calls on the two architectures that `seccomp` supports."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["ARCHITECTURES", "NUMBERS", "Architecture", "this_architecture"]


@dataclass(frozen=True, slots=True)
class Architecture:
    """A processor architecture, as a seccomp filter sees it.

    Attributes:
        name: Its name in `uname -m`.
        audit: Its AUDIT_ARCH constant, which differs between 64-bit and 32-bit calls.
        column: Its index in the entries of `NUMBERS`.
        x32: The bit that marks a call of the x32 ABI, which has the same AUDIT_ARCH constant; 0 without such an ABI.
    """

    name: str
    audit: int
    column: int
    x32: int = 0


ARCHITECTURES = {
    "x86_64": Architecture("x86_64", 0xC000003E, 0, 0x4000_0000),
    "aarch64": Architecture("aarch64", 0xC00000B7, 1),
}

NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "access": (21, None),
    "brk": (12, 214),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "clone": (56, 220),
    "clone3": (435, 435),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fcntl": (72, 25),
    "fstat": (5, 80),
    "futex": (202, 98),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "ioctl": (16, 29),
    "lseek": (8, 62),
    "lstat": (6, None),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "newfstatat": (262, 79),
    "open": (2, None),
    "openat": (257, 56),
    "poll": (7, None),
    "ppoll": (271, 73),
    "pread64": (17, 67),
    "prlimit64": (302, 261),
    "pselect6": (270, 72),
    "read": (0, 63),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "readv": (19, 65),
    "restart_syscall": (219, 128),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_yield": (24, 124),
    "select": (23, None),
    "set_robust_list": (273, 99),
    "sigaltstack": (131, 132),
    "stat": (4, None),
    "statx": (332, 291),
    "time": (201, None),
    "times": (100, 153),
    "uname": (63, 160),
    "write": (1, 64),
    "writev": (20, 66),
}
"""By name: the number on x86_64 and on aarch64, None if the architecture lacks the call."""


def this_architecture() -> Architecture | None:
    """Return the architecture of this machine, None if it is not one of `ARCHITECTURES`."""
    return ARCHITECTURES.get(os.uname().machine)
