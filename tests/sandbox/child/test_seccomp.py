"""The seccomp filter, run by an interpreter of classic BPF that is written here."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.sandbox.child.confinement import Profile
from autodrill.sandbox.child.pinning import Window
from autodrill.sandbox.child.syscalls import ARCHITECTURES, NUMBERS, Architecture

seccomp = pytest.importorskip("autodrill.sandbox.child.seccomp", reason="needs ctypes")

if TYPE_CHECKING:
    from autodrill.sandbox.child.seccomp import Filter

ALLOW, KILL, EPERM = 0x7FFF0000, 0x80000000, 0x00050001
BOTH = pytest.mark.parametrize("profile", list(Profile))
EVERYWHERE = pytest.mark.parametrize("machine", ARCHITECTURES.values(), ids=ARCHITECTURES)
INTEL = ARCHITECTURES["x86_64"]


def decide(program: Filter, machine: Architecture, number: int, *arguments: int, audit: int | None = None) -> int:
    """Return the decision of the kernel, by the instruction set in linux/filter.h."""
    audit = machine.audit if audit is None else audit
    data = struct.pack("<IIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    code = [struct.unpack_from("<HBBI", program.code, at) for at in range(0, len(program.code), 8)]
    accumulator = index = at = 0
    memory = [0] * 16
    while True:
        operation, yes, no, constant = code[at]
        at += 1
        match operation:
            case 0x20:  # load an absolute word
                (accumulator,) = struct.unpack_from("<I", data, constant)
            case 0x54:  # and
                accumulator &= constant
            case 0x15:  # jump if equal
                at += yes if accumulator == constant else no
            case 0x45:  # jump if any bit is set
                at += yes if accumulator & constant else no
            case 0x25:  # jump if greater
                at += yes if accumulator > constant else no
            case 0x35:  # jump if at least
                at += yes if accumulator >= constant else no
            case 0x3D:  # jump if at least the index
                at += yes if accumulator >= index else no
            case 0x07:  # copy to the index
                index = accumulator
            case 0x04 | 0x0C:  # add the constant, or the index
                accumulator = (accumulator + (constant if operation == 0x04 else index)) % 2**32
            case 0x02:  # store
                memory[constant] = accumulator
            case 0x60:  # recall
                accumulator = memory[constant]
            case 0x06:  # return
                return int(constant)
            case _:
                raise AssertionError(f"operation {operation:#x}")


def number_of(name: str, machine: Architecture) -> int:
    number = NUMBERS[name][machine.column]
    assert number is not None
    return number


def verdict(profile: Profile, name: str, *arguments: int, machine: Architecture = INTEL) -> int:
    program = seccomp.assemble(seccomp.rules(profile), machine)
    return decide(program, machine, number_of(name, machine), *arguments)


@BOTH
@EVERYWHERE
def test_filter_refuses_exactly_the_unlisted_calls(profile: Profile, machine: Architecture) -> None:
    rules = seccomp.rules(profile)
    program = seccomp.assemble(rules, machine)
    always = {NUMBERS[name][machine.column] for name, rule in rules.items() if rule == ((),)}
    listed = {NUMBERS[name][machine.column] for name in rules}
    for number in range(600):
        if number in always:
            assert decide(program, machine, number, *[2**64 - 1] * 6) == ALLOW
        elif number not in listed:
            assert decide(program, machine, number) == EPERM


@BOTH
@EVERYWHERE
def test_filter_kills_calls_of_another_architecture(profile: Profile, machine: Architecture) -> None:
    program = seccomp.assemble(seccomp.rules(profile), machine)
    for other in (0x40000003, 0xC00000B7, 0xC000003E, 0):  # i386, the two supported ones, none
        if other != machine.audit:
            assert decide(program, machine, number_of("read", machine), audit=other) == KILL


@BOTH
def test_filter_kills_calls_of_the_x32_abi(profile: Profile) -> None:
    program = seccomp.assemble(seccomp.rules(profile), INTEL)
    assert decide(program, INTEL, 0x4000_0000 | number_of("read", INTEL)) == KILL


HIGH = 1 << 32
FAR = 2**64 - 100  # AT_FDCWD


@pytest.mark.parametrize(
    ("name", "arguments", "sealed", "open_"),
    [
        ("mmap", (0, 4096, 3, 0x22), ALLOW, ALLOW),
        ("mmap", (0, 4096, 5, 0x22), EPERM, ALLOW),
        ("mprotect", (0, 4096, 4), EPERM, ALLOW),
        ("openat", (FAR, 1, 0), EPERM, ALLOW),
        ("openat", (FAR, 1, 0o2000000), EPERM, ALLOW),  # O_CLOEXEC
        ("openat", (FAR, 1, 1), EPERM, EPERM),  # O_WRONLY
        ("openat", (FAR, 1, 2), EPERM, EPERM),  # O_RDWR
        ("openat", (FAR, 1, 0o100), EPERM, EPERM),  # O_CREAT
        ("openat", (FAR, 1, 0o1000), EPERM, EPERM),  # O_TRUNC
        ("openat", (FAR, 1, 0o20200000), EPERM, EPERM),  # O_TMPFILE
        ("openat", (FAR, 1, 0o10000000), EPERM, EPERM),  # O_PATH
        ("newfstatat", (FAR, 1, 1, 0x1000), EPERM, ALLOW),  # AT_EMPTY_PATH, which still takes a path
        ("fstat", (1, 1), ALLOW, ALLOW),
        ("getcwd", (1, 1), EPERM, ALLOW),
        ("clock_gettime", (3, 1), ALLOW, ALLOW),
        ("clock_gettime", (2**32 - 6, 1), EPERM, EPERM),  # the clock of a process, by its number
        ("fcntl", (1, 3), ALLOW, ALLOW),
        ("fcntl", (1, 8, 1), EPERM, EPERM),  # F_SETOWN
        ("fcntl", (1, 6, 1), EPERM, EPERM),  # F_SETLK
        ("ioctl", (0, 0x5401), ALLOW, ALLOW),
        ("ioctl", (0, 0x5412), EPERM, EPERM),  # TIOCSTI, which types on the terminal
        ("futex", (1, 0x189), ALLOW, ALLOW),  # a private timed wait
        ("futex", (1, 6), EPERM, EPERM),  # FUTEX_LOCK_PI
        ("prlimit64", (0, 7, 0, 1), ALLOW, ALLOW),  # read
        ("prlimit64", (0, 7, 1, 0), EPERM, EPERM),  # set
        ("prlimit64", (0, 7, HIGH, 0), EPERM, EPERM),  # set, from a pointer whose lower half is zero
        ("prlimit64", (0, 0, 1, 0), ALLOW, ALLOW),  # set its own processor time
        ("prlimit64", (1, 0, 1, 0), EPERM, EPERM),  # of another
        ("prlimit64", (1, 7, 0, 1), EPERM, EPERM),  # read another's
        ("sched_getaffinity", (0, 8, 1), ALLOW, ALLOW),
        ("sched_getaffinity", (1, 8, 1), EPERM, EPERM),
    ],
)
def test_filter_decides_by_arguments(name: str, arguments: tuple[int, ...], sealed: int, open_: int) -> None:
    for machine in ARCHITECTURES.values():
        program = {profile: seccomp.assemble(seccomp.rules(profile), machine) for profile in Profile}
        if NUMBERS[name][machine.column] is not None:
            number = number_of(name, machine)
            assert decide(program[Profile.SEALED], machine, number, *arguments) == sealed
            assert decide(program[Profile.OPEN], machine, number, *arguments) == open_


@pytest.mark.parametrize(
    "name",
    [
        *("fork", "clone", "clone3", "execve", "execveat", "socket", "connect", "sendmsg", "kill", "tgkill", "ptrace"),
        *("bpf", "io_uring_setup", "memfd_create", "userfaultfd", "keyctl", "unshare", "prctl", "seccomp", "mount"),
        *(
            "pidfd_open",
            "process_vm_readv",
            "perf_event_open",
            "shmget",
            "mq_open",
            "inotify_init1",
            "pipe2",
            "sysinfo",
        ),
    ],
)
def test_profiles_list_no_call_that_leads_out(name: str) -> None:
    assert all(name not in seccomp.rules(profile) for profile in Profile)


@pytest.mark.parametrize(
    ("machine", "header", "prefix"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "__NR_"),
        ("aarch64", "/usr/include/asm-generic/unistd.h", "__NR(?:3264)?_"),
    ],
)
def test_numbers_match_the_kernel_headers(machine: str, header: str, prefix: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"there is no {header} here")
    text = Path(header).read_text(encoding="utf-8")
    theirs = {
        name: int(number) for name, number in re.findall(rf"#define {prefix}(\w+)\s+(\d+)\s*$", text, re.MULTILINE)
    }
    theirs.setdefault("newfstatat", theirs.get("fstatat", -1))
    for name, numbers in NUMBERS.items():
        assert theirs.get(name) == numbers[ARCHITECTURES[machine].column], name


WINDOW = Window(0x5567_14A0_0000, 0x7F5E_7232_5000, 0x5567_1400_0000)


@BOTH
@EVERYWHERE
@pytest.mark.parametrize(
    ("address", "length", "inside"),
    [
        (WINDOW.low, 4096, True),
        (WINDOW.low - 4096, 4096, False),
        (WINDOW.low - 2**32, 4096, False),
        (WINDOW.low + 2**32, 2**33, True),
        (WINDOW.high - 4096, 4096, True),
        (WINDOW.high - 4096, 8192, False),
        (WINDOW.high, 4096, False),
        (WINDOW.high + 2**33, 4096, False),
        (0x7F5D_FFFF_F000, 0x7232_6000, True),  # the sum of the lower halves carries
        (0x7F5D_FFFF_F000, 0x7232_7000, False),
        (WINDOW.low, 2**64 - 4096, False),
        (WINDOW.low, 2**63, False),
        (2**64 - 4096, 8192, False),
        (0, 2**47, False),
    ],
)
def test_filter_pins_what_is_mapped_outside_the_window(
    profile: Profile, machine: Architecture, address: int, length: int, *, inside: bool
) -> None:
    program = seccomp.assemble(seccomp.rules(profile, WINDOW), machine)

    def allowed(name: str, *more: int) -> bool:
        return decide(program, machine, number_of(name, machine), address, length, *more) == ALLOW

    fixed, may_move, replaces = 0x32, 1, 3
    assert allowed("munmap") is inside
    assert allowed("madvise", 4) is inside
    assert allowed("mprotect", 3) is inside
    assert allowed("mmap", 3, fixed) is inside
    assert allowed("mmap", 3, 0x22) is True
    assert allowed("mremap", 4096, may_move) is inside
    assert allowed("mremap", 4096, replaces) is False


@BOTH
def test_filter_keeps_the_heap_from_shrinking(profile: Profile) -> None:
    program = seccomp.assemble(seccomp.rules(profile, WINDOW), INTEL)
    ends = (0, WINDOW.heap - 1, WINDOW.heap, WINDOW.heap + 4096, WINDOW.low + 2**33)
    allowed = [decide(program, INTEL, number_of("brk", INTEL), end) == ALLOW for end in ends]
    assert allowed == [True, False, True, True, True]


def test_filter_with_a_window_still_refuses_machine_code() -> None:
    program = seccomp.assemble(seccomp.rules(Profile.SEALED, WINDOW), INTEL)
    for name in ("mmap", "mprotect"):
        assert decide(program, INTEL, number_of(name, INTEL), WINDOW.low, 4096, 7, 0x22) == EPERM


CLONE_THREAD, OF_FORK = 0x3D0F00, 0x1200011
"""The flags with which glibc starts a thread, and those with which it forks."""


@BOTH
@EVERYWHERE
def test_threads_may_be_started_but_no_processes(profile: Profile, machine: Architecture) -> None:
    program = seccomp.assemble(seccomp.rules(profile, threads=True), machine)
    clone = number_of("clone", machine)
    assert decide(program, machine, clone, CLONE_THREAD) == ALLOW
    assert decide(program, machine, clone, OF_FORK) == EPERM
    # glibc falls back to `clone` only if the kernel seems to lack `clone3`, whose flags a filter cannot see.
    assert decide(program, machine, number_of("clone3", machine)) == EPERM - 1 + errno.ENOSYS
