"""The heap of a process under a tight memory limit: its free memory must not add to the limit."""

from __future__ import annotations

import ctypes
import errno
import mmap
import subprocess
import sys

import pytest

PROGRAM = """
from autodrill.sandbox.child.malloc_tuning import small_steps
from autodrill.sandbox.child.rlimits import address_space

before = address_space()
large = bytearray(24 << 20)
del large
grown = address_space()
small_steps()
print(before, grown, address_space())
"""

KEPT = "glibc.malloc.mmap_threshold=67108864:glibc.malloc.trim_threshold=134217728"
"""Freed memory stays in the heap, as in a child process."""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
def test_small_steps_returns_free_memory_of_the_heap() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env={"GLIBC_TUNABLES": KEPT}, stdout=subprocess.PIPE, text=True, check=True)
    before, grown, after = map(int, done.stdout.split())
    if grown - before < 24 << 20:
        pytest.skip("not glibc: the heap keeps no freed memory")
    assert after - before <= 3 << 20


FREE_END = """
import ctypes
from autodrill.sandbox.child.malloc_tuning import _free_end, small_steps

small_steps()
print(_free_end(ctypes.CDLL(None)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
@pytest.mark.parametrize("objects", range(0, 3_000_000, 500_000))
def test_small_steps_use_up_the_end_of_the_heap(objects: int) -> None:
    program = f"kept = bytearray({objects})\n{FREE_END}"
    tunables = f"glibc.malloc.hugetlb=1:{KEPT}"  # the heap grows and shrinks by large pages
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env={"GLIBC_TUNABLES": tunables}, stdout=subprocess.PIPE, text=True, check=True)
    assert int(done.stdout) <= 256 << 10


BOUND = """
import mmap
from autodrill.sandbox.child.rlimits import address_space, bound

used = address_space()
mapped_since = mmap.mmap(-1, 16 << 20)
bound(4 << 20, used)
fits = mmap.mmap(-1, 3 << 20)
try:
    mmap.mmap(-1, 3 << 20)
except OSError as error:
    print(error.errno)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is bounded on Linux alone")
def test_tight_bound_counts_from_what_is_mapped_when_it_is_set() -> None:
    done = subprocess.run([sys.executable, "-c", BOUND], capture_output=True, text=True, check=True)
    assert int(done.stdout) == errno.ENOMEM


COLLAPSE = """
from pathlib import Path
from autodrill.sandbox.child.malloc_tuning import collapse, gather_arenas

def large():
    return sum(int(line.split()[1]) for line in Path("/proc/self/smaps").open() if line.startswith("AnonHugePages"))

held = gather_arenas()
kept = [bytes([number % 256]) * 400 for number in range(20_000)]
before = large()
collapse()
assert all(each == bytes([number % 256]) * 400 for number, each in enumerate(kept))
print(large() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="large pages are those of Linux")
def test_collapse_moves_arenas_to_large_pages() -> None:
    done = subprocess.run([sys.executable, "-c", COLLAPSE], capture_output=True, text=True, check=True)
    gained = int(done.stdout)
    if not gained and not _can_collapse():
        pytest.skip("this kernel collapses no pages")
    assert gained >= 8 << 10


def _can_collapse() -> bool:
    size = 4 << 20
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.write(b"x" * size)
    libc = ctypes.CDLL(None, use_errno=True)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    inside = start + -start % (2 << 20)
    return bool(libc.madvise(ctypes.c_size_t(inside), ctypes.c_size_t(2 << 20), 25) == 0)
