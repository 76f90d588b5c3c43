"""The layers, seen from a child process: what each profile refuses, and what it allows."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.errors import UnconfinedError
from autodrill.sandbox.child import lockdown
from autodrill.sandbox.child.confinement import OPEN, SEALED, SEPARATE, Confinement, Layer, Profile
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.outcomes import Loaded, OutOfMemory, Raised, Returned
from autodrill.sandbox.runner import Limits, Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.sandbox.launcher import Launcher
    from autodrill.sandbox.outcomes import CallOutcome

    Call = Callable[[str], CallOutcome]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")

PROBE = """
import os, sys, signal
import numpy as np
def f():
    return {}
"""


def value_of(expression: str, launcher: Launcher) -> Any:
    with Runner.start(launcher=launcher) as runner:
        loaded = runner.load(PROBE.format(expression).encode(), "probe.py", "f")
        assert loaded == Loaded(), loaded
        end = runner.call([], budget=10_000)
        return end.value if isinstance(end, Returned) else end


@pytest.fixture(scope="module")
def sealed() -> Iterator[Launcher]:
    with ForkServer(SEALED) as server:
        yield server.launch


ACTS = {
    "opening a file": "os.open('/etc/hostname', os.O_RDONLY)",
    "listing a folder": "os.listdir('/')",
    "writing": "open('/dev/shm/autodrill-probe', 'w')",
    "forking": "os.fork()",
    "executing": "os.execv('/bin/true', ['true'])",
    "signalling itself": "os.kill(os.getpid(), 0)",
    "a pipe": "os.pipe()",
    "memory that is a file": "os.memfd_create('x')",
    "changing the folder": "os.chdir('/tmp')",
    "becoming root": "os.setuid(0)",
    "lifting a limit": "__import__('resource').setrlimit(__import__('resource').RLIMIT_CORE, (0, 1))",
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_profiles_both_refuse_access_to_the_outside(act: str, sealed: Launcher) -> None:
    for launcher in (sealed, launch):
        end = value_of(act, launcher)
        assert isinstance(end, Raised), end
        assert end.type in {"PermissionError", "ValueError"}  # `setrlimit` turns EPERM into ValueError


LOOKS = {
    "stat": "os.stat('/etc')",
    "access": "os.access('/', os.R_OK)",
    "a link": "os.readlink('/proc/self/exe')",
    "the folder": "os.getcwd()",
    "a socket": "__import__('socket').socket()",
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_sealed_profile_refuses_file_lookups(look: str, sealed: Launcher) -> None:
    end = value_of(look, sealed)
    assert end is False or (isinstance(end, Raised) and end.type == "PermissionError")


def test_open_profile_reads_only_the_standard_library_and_numpy() -> None:
    source = (
        "[__import__(m) and 1 for m in ('json', 'fractions', 'unittest.mock', 'numpy.fft', 'sqlite3.dump', 'xml.dom')]"
    )
    assert value_of(source.replace(", 'sqlite3.dump'", ""), launch) == [1] * 5
    end = value_of(f"open({__file__!r}).read()", launch)
    assert isinstance(end, Raised)
    assert end.type == "PermissionError"


@pytest.mark.parametrize("profile", ["open", "sealed"])
def test_profiles_allow_honest_code(profile: str, sealed: Launcher) -> None:
    launcher = {"open": launch, "sealed": sealed}[profile]
    assert value_of("float(np.linalg.inv(np.eye(200) * 2).sum())", launcher) == 100.0
    assert value_of("__import__('time').sleep(0.01)", launcher) is None
    assert value_of("__import__('random').Random(3).random()", launcher) == pytest.approx(0.23796462709189137)
    assert value_of("sorted(str(__import__('decimal').Decimal(1) / 3))[:2]", launcher) == [".", "0"]


def test_sealed_profile_reports_other_modules_as_missing(sealed: Launcher) -> None:
    end = value_of("__import__('sqlite3')", sealed)
    assert isinstance(end, Raised)
    assert (end.type, end.message) == ("ModuleNotFoundError", "No module named 'sqlite3'")


def test_privileges_layer_leaves_no_privileges() -> None:
    only = Confinement(Profile.SEALED, frozenset({Layer.PRIVILEGES}))
    status = value_of("open('/proc/self/status').read()", partial(launch, confinement=only))
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["NoNewPrivs"] == "1"
    assert {fields[name] for name in ("CapInh", "CapPrm", "CapEff")} == {"0" * 16}
    assert ("0" in fields["Uid"].split()) is False


@pytest.mark.skipif(os.getuid() != 0, reason="only root has other powers to give up")
def test_privileges_layer_keeps_only_the_files_of_root_when_open() -> None:
    only = Confinement(Profile.OPEN, frozenset({Layer.PRIVILEGES}))
    end = value_of("(os.getuid(), os.setuid(1))", partial(launch, confinement=only))
    assert isinstance(end, Raised)
    assert end.type == "PermissionError"


def test_sealed_process_reports_running_out_of_memory(sealed: Launcher) -> None:
    with Runner.start(Limits(memory=64 << 20), launcher=sealed) as runner:
        runner.load(b"def f():\n    return [bytearray(1 << 20) for _ in range(200)]", "f.py", "f")
        assert runner.call([], budget=100) == OutOfMemory(64 << 20, 2)


def test_status_lists_the_layers_that_hold() -> None:
    with Runner.start() as runner:
        runner.load(b"f = len", "f.py", "f")
        status = runner.confinement_status
    assert status is not None
    assert set(status.held) == set(Layer)
    assert status.lost == {}


@pytest.mark.parametrize("layer", [Layer.RLIMITS, Layer.PRIVILEGES, Layer.SECCOMP])
def test_runner_sends_nothing_without_a_required_layer(layer: Layer) -> None:
    short = replace(SEALED, layers=SEALED.layers - {layer})
    runner = Runner.start(launcher=partial(launch, confinement=short))
    with runner, pytest.raises(UnconfinedError, match=layer) as caught:
        runner.load(b"while True: pass", "f.py", "f")
    assert runner.finished
    assert "doctor" in (caught.value.hint or "")


def test_lockdown_names_missing_layers_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from autodrill.sandbox.child import landlock, seccomp

    def missing() -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(landlock, "version", missing)
    monkeypatch.setattr(seccomp, "this_architecture", lambda: None)
    prepared = lockdown.prepare(SEALED, "/nowhere", 0)
    assert prepared.lost[Layer.LANDLOCK] == "Function not implemented"
    assert prepared.lost[Layer.SECCOMP].startswith("no table of system calls for ")


def test_landlock_names_the_gaps_of_older_versions() -> None:
    from autodrill.sandbox.child import landlock

    assert landlock.gaps(1) == "linking across folders, truncating, TCP, device control, signals and sockets"
    assert landlock.gaps(5) == "signals and sockets"
    assert landlock.gaps(6) == landlock.gaps(99) == ""


def test_status_of_a_separate_process() -> None:
    with Runner.start(launcher=partial(launch, confinement=SEPARATE)) as runner:
        runner.load(b"f = len", "f.py", "f")
        assert runner.confinement_status is not None
        assert runner.confinement_status.held == (Layer.ENVIRONMENT, Layer.RLIMITS)


def test_sealed_requires_only_layers_that_it_takes() -> None:
    assert SEALED.required <= SEALED.layers
    assert SEALED.required == {Layer.RLIMITS, Layer.PRIVILEGES, Layer.SECCOMP}
    assert OPEN.required == frozenset()
