"""The tool that makes the processor look slower or faster, `benchmarks/scaled_clock.py`."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SECONDS = 0.2
"""Real seconds that each wait takes."""

# A raw system call is not scaled.
REPORT = """
import ctypes, json, os, resource, select, socket, sys, threading, time
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.runner import Runner

CLOCK_GETTIME = 228
seconds, report = float(sys.argv[1]), {}


def real(clock):
    at = (ctypes.c_long * 2)()
    assert ctypes.CDLL(None).syscall(CLOCK_GETTIME, clock, at) == 0
    return at[0] + at[1] * 1e-9


def spin():
    sum(range(10_000_000))


def locked():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire(timeout=seconds)


def waits_for_condition():
    condition = threading.Condition()
    with condition:
        condition.wait(seconds)


def receives():
    one, other = socket.socketpair()
    one.settimeout(seconds)
    try:
        one.recv(1)
    except TimeoutError:
        pass


def passed(read, doing):
    before = read()
    doing()
    return [now - then for then, now in zip(before, read())]


MONOTONIC, PROCESS = time.CLOCK_MONOTONIC, time.CLOCK_PROCESS_CPUTIME_ID
clocks = {
    "monotonic": (time.monotonic, MONOTONIC),
    "time": (time.time, MONOTONIC),
    "process_time": (time.process_time, PROCESS),
    "getrusage": (lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), PROCESS),
}
for name, (read, clock) in clocks.items():
    report[name] = passed(lambda: (read(), real(clock)), spin)
waits = {
    "sleep": lambda: time.sleep(seconds),
    "poll": lambda: select.poll().poll(1000 * seconds),
    "select": lambda: select.select([], [], [], seconds),
    "lock": locked,
    "condition": waits_for_condition,
    "socket": receives,
}
report["waits"] = {name: passed(lambda: (time.monotonic(),), wait)[0] for name, wait in waits.items()}

ANSWER = b'''
import os, time
def answer(seconds):
    started, used = time.monotonic(), time.process_time()
    sum(range(10_000_000))
    used = time.process_time() - used
    began = time.monotonic()
    time.sleep(seconds)
    return used, time.monotonic() - began, "LD_PRELOAD" in os.environ
'''
with ForkServer() as server:
    for name, launcher in (("launched", launch), ("forked", server.launch)):
        with Runner.start(launcher=launcher) as runner:
            runner.load(ANSWER, "answer.py", "answer")
            clock = ~runner._child.process.pid << 3 | 2
            seen, truly = passed(
                lambda: (runner.processor_time, real(clock)),
                lambda: report.update({name: list(runner.call([seconds], budget=1 << 10, seconds=100.0).value)}),
            )
            report[name] += [seen, truly]
print(json.dumps(report))
"""


@pytest.mark.compiler
@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not shutil.which("cc"), reason="it needs glibc and a C compiler"
)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of the raw system call is that of x86_64")
@pytest.mark.parametrize("factor", [0.1, 10])
def test_scaled_clock_scales_clocks_and_waits(factor: float) -> None:
    seconds = SECONDS / factor
    tool = [sys.executable, str(ROOT / "benchmarks" / "scaled_clock.py"), str(factor)]
    done = subprocess.run(
        [*tool, sys.executable, "-c", REPORT, str(seconds)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    report = json.loads(done.stdout)
    for clock in ("monotonic", "time", "process_time", "getrusage"):
        seen, real = report[clock]
        assert seen == pytest.approx(real / factor, rel=0.1), clock
    for name, seen in report["waits"].items():
        assert 0.99 * seconds <= seen < 3 * seconds, name  # ten times as long, or a tenth, without the tool
    for name in ("launched", "forked"):
        used, slept, preload, seen, real = report[name]
        assert seen == pytest.approx(real / factor, rel=0.1), name
        assert 0 < used <= seen, name
        assert used > 0.5 * seen, name
        assert 0.99 * seconds <= slept < 3 * seconds, name
        assert not preload, name
