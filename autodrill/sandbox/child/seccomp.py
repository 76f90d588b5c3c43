"""The seccomp filter: the system calls that each profile allows. Any other system call fails with EPERM.

The filter is assembled here and not by libseccomp. A machine may lack that library, and its Python binding would have
to be imported from site-packages, which the child process must not see. Little of it is needed: compare a number,
compare a few arguments, return.

A filter sees the number and the arguments of a call as integers, and cannot follow pointers. A call that takes a path
is therefore allowed or refused for every path. Landlock restricts the paths.
"""

from __future__ import annotations

import ctypes
import os
import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from .confinement import Profile
from .syscalls import NUMBERS, this_architecture

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .pinning import Window
    from .syscalls import Architecture

__all__ = ["Filter", "assemble", "install", "rules"]

_LIBC = ctypes.CDLL(None, use_errno=True)

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _KILL_PROCESS, _EPERM, _ENOSYS = 0x7FFF_0000, 0x8000_0000, 0x0005_0001, 0x0005_0026

# Classic BPF (linux/filter.h): operations on one accumulator, which is loaded from `struct seccomp_data`.
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_JUMP_EQUAL, _JUMP_SET, _JUMP_GREATER, _JUMP_AT_LEAST, _JUMP_AT_LEAST_X = 0x15, 0x45, 0x25, 0x35, 0x3D
_STORE, _RECALL, _TO_X, _ADD, _ADD_X = 0x02, 0x60, 0x07, 0x04, 0x0C
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
_INSTRUCTION = struct.Struct("<HBBI")
_ALL = 0xFFFF_FFFF

Instruction: TypeAlias = tuple[int, int, int, int]
"""Operation, jump distance if true, jump distance if false, constant."""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on 32 bits of an argument: after masking, they equal one of the values.

    Attributes:
        argument: The index of the argument, from 0.
        values: The allowed values.
        mask: The bits to compare.
        high: Whether to compare the upper half of the argument. Most arguments are 32 bits wide in the kernel too.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = _ALL
    high: bool = False


@dataclass(frozen=True, slots=True)
class Within:
    """A condition on a range of addresses: it is inside a window.

    Attributes:
        window: The window.
        address: The index of the argument with the first address.
        length: The index of the argument with the length; None if only the first address counts, and only from below.
    """

    window: Window
    address: int = 0
    length: int | None = 1


Rule: TypeAlias = tuple[tuple[Check | Within, ...], ...]
"""Conjunctions of checks. If any of them holds, the call is allowed. The empty conjunction always holds."""

_ALWAYS: Rule = ((),)
_NO_SUCH_CALL: Rule = ()
"""The call fails with ENOSYS, as on a kernel that lacks it, so that the caller falls back to an older call."""

_PROT_EXEC = 4
_O_WRONLY, _O_RDWR, _O_CREAT, _O_TRUNC, _O_PATH, _O_TMPFILE = 1, 2, 0o100, 0o1000, 0o10_000_000, 0o20_000_000
_OPENS_TO_CHANGE = _O_WRONLY | _O_RDWR | _O_CREAT | _O_TRUNC | _O_PATH | _O_TMPFILE
_NOT_EXECUTABLE = (Check(2, (0,), mask=_PROT_EXEC),)
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 1030
_TCGETS, _FIONCLEX, _FIOCLEX = 0x5401, 0x5450, 0x5451
_RLIMIT_CPU = 0
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET, _FUTEX_WAKE_BITSET = 0, 1, 9, 10
_FUTEX_FLAGS = 128 | 256
_OWN_CLOCKS = (Check(0, (0,), mask=_ALL ^ 0xF),)  # a larger id is the clock of another process
_MYSELF = (Check(0, (0,)),)
_NULL = (Check(0, (0,)), Check(0, (0,), high=True))
_MAP_FIXED, _MREMAP_MAYMOVE = 0x10, 1
_CLONE_THREAD = 0x10000
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
    # Only commands on the descriptor itself: locks, owners and pipe sizes are shared with other processes.
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
    # It can read its own limits, and `rlimits.renew_cpu` raises the soft limit of processor time for every call.
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
            *("mmap", "mprotect"),  # executable memory too, for extension modules that are imported later
        ),
        _ALWAYS,
    )
    | {
        "open": ((Check(1, (0,), mask=_OPENS_TO_CHANGE),),),
        "openat": ((Check(2, (0,), mask=_OPENS_TO_CHANGE),),),
    }
)


_THREADS: dict[str, Rule] = {
    "clone": ((Check(0, (_CLONE_THREAD,), mask=_CLONE_THREAD),),),
    "clone3": _NO_SUCH_CALL,  # its flags are behind a pointer; glibc then calls `clone`
    # Libraries of threads ask for the scheduling of a thread, by its number. It tells nothing about files or memory.
    **dict.fromkeys(("sched_getparam", "sched_getscheduler", "sched_getaffinity"), _ALWAYS),
}


def rules(profile: Profile, window: Window | None = None, *, threads: bool = False) -> dict[str, Rule]:
    """Return the rule of each system call that a profile allows, by name.

    Args:
        profile: The profile.
        window: The addresses that may be unmapped, moved and protected: see `pinning`. By default all may be.
        threads: Whether it may start threads; processes never.
    """
    allowed = (_SEALED if profile is Profile.SEALED else _OPEN) | (_THREADS if threads else {})
    if window is None:
        return allowed
    inside = Within(window)
    return allowed | {
        "munmap": ((inside,),),
        "madvise": ((inside,),),
        "mremap": ((inside, Check(3, (0,), mask=_ALL ^ _MREMAP_MAYMOVE)),),
        "mprotect": tuple((*checks, inside) for checks in allowed["mprotect"]),
        "mmap": tuple(
            (*checks, where) for checks in allowed["mmap"] for where in (Check(3, (0,), mask=_MAP_FIXED), inside)
        ),
        "brk": (_NULL, (Within(replace(window, low=window.heap), length=None),)),  # `brk(0)` asks where the heap ends
    }


@dataclass(frozen=True, slots=True)
class Filter:
    """An assembled filter. It can be installed in this process, or in a fork of it."""

    code: bytes

    @property
    def length(self) -> int:
        """The number of its instructions."""
        return len(self.code) // _INSTRUCTION.size


def assemble(allowed: Mapping[str, Rule], machine: Architecture | None = None) -> Filter:
    """Assemble a filter.

    Args:
        allowed: The rules of the allowed system calls, by name.
        machine: The architecture to assemble for; by default that of this machine.

    Raises:
        OSError: `syscalls` has no numbers for this architecture.
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
    """Kill the process for a call of another architecture, whose numbers have other meanings."""
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
        yield _RETURN, 0, 0, _EPERM if rule else _ENOSYS


def _conjunction(checks: tuple[Check | Within, ...]) -> list[Instruction]:
    """Allow the call if every check holds, else continue after this block."""
    code: list[Instruction] = [(_RETURN, 0, 0, _ALLOW)]
    for check in reversed(checks):
        test = _within(check) if isinstance(check, Within) else _equal(check)
        code = [*_resolved(test, len(code)), *code]
    return code


_Test: TypeAlias = list[tuple[int, int | None, int | None, int]]
"""Instructions in which a jump distance of None leaves the conjunction. After the last one the test holds."""


def _resolved(test: _Test, after: int) -> Iterator[Instruction]:
    for left, (operation, true, false, constant) in zip(range(len(test) - 1, -1, -1), test, strict=True):
        away = left + after
        yield operation, away if true is None else true, away if false is None else false, constant


def _equal(check: Check) -> _Test:
    tests: _Test = [
        (_JUMP_EQUAL, left, 0 if left else None, value)
        for left, value in zip(range(len(check.values) - 1, -1, -1), check.values, strict=True)
    ]
    load: _Test = [(_LOAD, 0, 0, _argument(check.argument, high=check.high))]
    if check.mask != _ALL:
        load.append((_AND, 0, 0, check.mask))
    return [*load, *tests]


def _within(check: Within) -> _Test:
    """Compare in two halves of 32 bits, because the accumulator has no more."""
    low, high = divmod(check.window.low, 1 << 32), divmod(check.window.high, 1 << 32)
    upper, lower = _argument(check.address, high=True), _argument(check.address)
    test: _Test = [
        (_LOAD, 0, 0, upper),
        (_JUMP_GREATER, 3, 0, low[0]),
        (_JUMP_EQUAL, 0, None, low[0]),
        (_LOAD, 0, 0, lower),
        (_JUMP_AT_LEAST, 0, None, low[1]),
    ]
    if check.length is None:
        return test
    return [
        *test,
        # The upper halves first: their sum then does not overflow.
        (_LOAD, 0, 0, _argument(check.length, high=True)),
        (_JUMP_GREATER, None, 0, high[0]),
        (_TO_X, 0, 0, 0),
        (_LOAD, 0, 0, upper),
        (_JUMP_GREATER, None, 0, high[0]),
        (_ADD_X, 0, 0, 0),
        (_STORE, 0, 0, 0),
        (_LOAD, 0, 0, _argument(check.length)),
        (_TO_X, 0, 0, 0),
        (_LOAD, 0, 0, lower),
        (_ADD_X, 0, 0, 0),
        (_STORE, 0, 0, 1),
        (_JUMP_AT_LEAST_X, 3, 0, 0),  # no carry
        (_RECALL, 0, 0, 0),
        (_ADD, 0, 0, 1),
        (_STORE, 0, 0, 0),
        (_RECALL, 0, 0, 0),
        (_JUMP_GREATER, None, 0, high[0]),
        (_JUMP_EQUAL, 0, 2, high[0]),
        (_RECALL, 0, 0, 1),
        (_JUMP_GREATER, None, 0, high[1]),
    ]


def _argument(index: int, *, high: bool = False) -> int:
    return _ARGUMENTS_AT + 8 * index + 4 * high


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def install(program: Filter) -> None:
    """Install a filter in this thread, irrevocably. The thread must have set no-new-privileges.

    Raises:
        OSError: The kernel refuses it.
    """
    struct_program = _Program(program.length, program.code)
    # c_ulong: a variadic function reads whole registers, and the upper half of a C int is undefined.
    if _LIBC.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), ctypes.byref(struct_program), ctypes.c_ulong(0)) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
