"""A filter over system calls: what is not on its list fails with EPERM, as if a parent process had forbidden it.

It is assembled here rather than by libseccomp: that is a library of the system's, which a bare machine may not have and
whose Python binding would have to be imported, from site-packages, by a process that must not see site-packages. What
is needed of it is small: compare a number, compare a few arguments, return.

A filter sees a call's number and its arguments as numbers, never what a pointer points to. So a call that takes a path
is allowed or not, whatever the path; which path is Landlock's part.
"""

from __future__ import annotations

import ctypes
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .confinement import Profile
from .syscalls import NUMBERS, this_architecture

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .syscalls import Architecture

__all__ = ["Filter", "assemble", "install", "rules"]

_LIBC = ctypes.CDLL(None, use_errno=True)

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _KILL_PROCESS, _EPERM = 0x7FFF_0000, 0x8000_0000, 0x0005_0001

# The classic Berkeley packet filter: operations on one accumulator, read from `struct seccomp_data`.
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_JUMP_EQUAL, _JUMP_SET = 0x15, 0x45
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
_INSTRUCTION = struct.Struct("<HBBI")
_ALL = 0xFFFF_FFFF

Instruction: TypeAlias = tuple[int, int, int, int]
"""Operation, how far to jump if true and if false, constant."""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on 32 bits of an argument: masked, they are one of some values.

    Attributes:
        argument: Which argument, from 0.
        values: What they may be.
        mask: Which bits count.
        high: Whether the upper half of the argument is meant; most arguments are 32 bits wide for the kernel too.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = _ALL
    high: bool = False


Rule: TypeAlias = tuple[tuple[Check, ...], ...]
"""Ways for a call to be allowed, each a conjunction; the empty conjunction allows it always."""

_ALWAYS: Rule = ((),)

_PROT_EXEC = 4
_O_WRONLY, _O_RDWR, _O_CREAT, _O_TRUNC, _O_PATH, _O_TMPFILE = 1, 2, 0o100, 0o1000, 0o10_000_000, 0o20_000_000
_OPENS_TO_CHANGE = _O_WRONLY | _O_RDWR | _O_CREAT | _O_TRUNC | _O_PATH | _O_TMPFILE
_NOT_EXECUTABLE = (Check(2, (0,), mask=_PROT_EXEC),)
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 1030
_TCGETS, _FIONCLEX, _FIOCLEX = 0x5401, 0x5450, 0x5451
_RLIMIT_CPU = 0
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET, _FUTEX_WAKE_BITSET = 0, 1, 9, 10
_FUTEX_FLAGS = 128 | 256
_OWN_CLOCKS = (Check(0, (0,), mask=_ALL ^ 0xF),)  # an id above 15 is the clock of another process, or tells of one
_MYSELF = (Check(0, (0,)),)
_NO_POINTER = (Check(2, (0,)), Check(2, (0,), high=True))

_BOTH: dict[str, Rule] = {
    **dict.fromkeys(
        (
            *("read", "readv", "pread64", "write", "writev", "close", "lseek", "fstat", "dup"),
            *("brk", "munmap", "mremap", "madvise"),
            *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall"),
            *("nanosleep", "gettimeofday", "time", "times", "getrusage", "sched_yield"),
            *("poll", "ppoll", "select", "pselect6"),
            *("getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getrlimit", "uname"),
            *("getrandom", "exit", "exit_group", "set_robust_list", "rseq"),
        ),
        _ALWAYS,
    ),
    **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), (_OWN_CLOCKS,)),
    # Locks, owners and sizes of pipes are shared with other processes: only what concerns the descriptor itself.
    "fcntl": ((Check(1, (_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC)),),),
    "ioctl": ((Check(1, (_TCGETS, _FIONCLEX, _FIOCLEX)),),),
    "futex": (
        (
            Check(
                1,
                (_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET, _FUTEX_WAKE_BITSET),
                mask=_ALL ^ _FUTEX_FLAGS,
            ),
        ),
    ),
    # Its own limits can be read; its processor time is renewed for every call, within the hard limit.
    "prlimit64": ((*_MYSELF, *_NO_POINTER), (*_MYSELF, Check(1, (_RLIMIT_CPU,)))),
    "sched_getaffinity": (_MYSELF,),
    # Without flags it only closes, as `os.closerange` does from Python 3.13 on; glibc aborts the process if it fails.
    "close_range": ((Check(2, (0,)),),),
}
_SEALED: dict[str, Rule] = _BOTH | dict.fromkeys(("mmap", "mprotect"), (_NOT_EXECUTABLE,))
_OPEN: dict[str, Rule] = (
    _BOTH
    | dict.fromkeys(
        (
            *("stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2"),
            *("readlink", "readlinkat", "getcwd", "getdents64"),
            *("mmap", "mprotect"),  # executable too: lazily imported extension modules
        ),
        _ALWAYS,
    )
    | {
        "open": ((Check(1, (0,), mask=_OPENS_TO_CHANGE),),),
        "openat": ((Check(2, (0,), mask=_OPENS_TO_CHANGE),),),
    }
)


def rules(profile: Profile) -> dict[str, Rule]:
    """Return what a profile allows."""
    return _SEALED if profile is Profile.SEALED else _OPEN


@dataclass(frozen=True, slots=True)
class Filter:
    """A program for the kernel, ready to be installed in this process or in one forked from it."""

    code: bytes

    @property
    def length(self) -> int:
        """How many instructions it has."""
        return len(self.code) // _INSTRUCTION.size


def assemble(allowed: Mapping[str, Rule], machine: Architecture | None = None) -> Filter:
    """Assemble a filter.

    Args:
        allowed: What is allowed, by name.
        machine: The machine to run on; this one if not given.

    Raises:
        OSError: There is no table of numbers for this machine.
    """
    machine = machine or this_architecture()
    if machine is None:
        raise OSError(f"no table of system calls for {os.uname().machine}")
    instructions = [*_preamble(machine)]
    for name in sorted(allowed):
        number = NUMBERS[name][machine.column]
        if number is not None:
            body = [*_rule(allowed[name])]
            instructions += [(_JUMP_EQUAL, 0, len(body), number), *body]
    instructions.append((_RETURN, 0, 0, _EPERM))
    return Filter(b"".join(_INSTRUCTION.pack(*each) for each in instructions))


def _preamble(machine: Architecture) -> Iterator[Instruction]:
    """Refuse calls of another architecture, whose numbers mean something else."""
    yield _LOAD, 0, 0, _MACHINE_AT
    yield _JUMP_EQUAL, 1, 0, machine.audit
    yield _RETURN, 0, 0, _KILL_PROCESS
    yield _LOAD, 0, 0, _NUMBER_AT
    if machine.x32:
        yield _JUMP_SET, 0, 1, machine.x32
        yield _RETURN, 0, 0, _KILL_PROCESS


def _rule(rule: Rule) -> Iterator[Instruction]:
    for checks in rule:
        yield from _conjunction(checks)
    if rule != _ALWAYS:
        yield _RETURN, 0, 0, _EPERM


def _conjunction(checks: tuple[Check, ...]) -> list[Instruction]:
    """Allow if every check holds, fall through to what follows if one does not."""
    code: list[Instruction] = [(_RETURN, 0, 0, _ALLOW)]
    for check in reversed(checks):
        tests: list[Instruction] = [
            (_JUMP_EQUAL, left, 0 if left else len(code), value)  # the last one that fails leaves the conjunction
            for left, value in zip(range(len(check.values) - 1, -1, -1), check.values, strict=True)
        ]
        load: list[Instruction] = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * check.argument + 4 * check.high)]
        if check.mask != _ALL:
            load.append((_AND, 0, 0, check.mask))
        code = [*load, *tests, *code]
    return code


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def install(program: Filter) -> None:
    """Put this thread, which must have given up gaining privileges, under a filter for good.

    Raises:
        OSError: The kernel does not take it.
    """
    told = _Program(program.length, program.code)
    # c_ulong: a variadic function reads whole registers, and the upper half of an int's is anything.
    if _LIBC.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), ctypes.byref(told), ctypes.c_ulong(0)) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
