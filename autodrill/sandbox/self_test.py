"""The self-test of the sandbox: each layer alone, in a child process that tries what the layer must refuse."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from autodrill.errors import AutodrillError
from autodrill.sandbox.child.confinement import SEALED, Confinement, ConfinementStatus, Layer, Profile
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import Loaded, Returned
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autodrill.sandbox.launcher import Launcher

__all__ = ["LayerFinding", "SelfTestResult", "run_self_test"]

_PROBES: Mapping[Layer, tuple[str, str]] = {
    Layer.ENVIRONMENT: (
        "hides your environment variables",
        'not {"HOME", "PATH", "USER"} & set(os.environ) and os.getcwd() == "/"',
    ),
    Layer.PRIVILEGES: (
        "removes all privileges",
        'all(said in status() for said in ("NoNewPrivs:1", "CapEff:" + "0" * 16))',
    ),
    Layer.RLIMITS: ("limits memory", "refused(lambda: bytearray(1 << 34))"),
    Layer.LANDLOCK: ("blocks opening files", 'refused(lambda: os.open("/", os.O_RDONLY))'),
    Layer.SECCOMP: (
        "blocks files, processes, pipes, signals",
        "all(map(refused, (look, os.fork, os.pipe, signal)))",
    ),
}
"""For each layer: what it does, and an expression that is true if it does."""

_WHOLE = (Layer.RLIMITS, Layer.LANDLOCK, Layer.SECCOMP)
"""The layers whose expressions can be evaluated under all layers together: everything they try is refused."""

_TIGHT = 16 << 20
"""Bytes of memory under which a case grades memory."""

_PROBE = """
import os

def refused(act):
    pid = os.getpid()
    try:
        act()
    except (OSError, MemoryError):
        return True
    if os.getpid() != pid:
        os._exit(0)
    return False

def status():
    with open("/proc/self/status") as file:
        return file.read().replace("\\t", "")

def look():
    os.stat("/")

def signal():
    os.kill(os.getpid(), 0)

def unmap():
    import ctypes
    libc = ctypes.CDLL(None)
    page = ctypes.cast(libc.qsort, ctypes.c_void_p).value & -4096
    if libc.munmap(ctypes.c_void_p(page), ctypes.c_size_t(4096)):
        raise OSError

def probe():
"""


@dataclass(frozen=True, slots=True)
class LayerFinding:
    """The result for one layer.

    Attributes:
        layer: The layer.
        holds: Whether it can be taken, and refuses what it must refuse.
        what: What it does.
        detail: Its version or user; if it does not hold, the reason.
    """

    layer: Layer
    holds: bool
    what: str
    detail: str


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    """The result for all layers.

    Attributes:
        findings: The result for each layer.
        sealed: Whether a child process under the sealed profile works here, and is confined.
        why: If not, the reason; else empty.
    """

    findings: tuple[LayerFinding, ...]
    sealed: bool
    why: str = ""


def run_self_test() -> SelfTestResult:
    """Try every layer alone, then the sealed profile, also under a tight memory bound. No file is written."""
    with ExitStack() as stack:
        alone = [(layer, _start(stack, _only(layer))) for layer in Layer]  # started together: each start takes a while
        server = stack.enter_context(ForkServer(SEALED))
        findings = tuple(_examine(layer, started) for layer, started in alone)
        _, done, why = _try(_start(stack, server.launch), " and ".join(_PROBES[layer][1] for layer in _WHOLE))
        _, pinned, _ = _try(_start(stack, server.launch, memory=_TIGHT), "refused(unmap)")
    detail = "libraries stay mapped" if pinned else "but libraries can be unmapped"
    findings = tuple(replace(f, detail=detail) if f.layer is Layer.RLIMITS and f.holds else f for f in findings)
    return SelfTestResult(findings, done, why)


def _only(layer: Layer) -> Launcher:
    # The kernel refuses the last two layers to a process that can still gain privileges, unless it is root.
    layers = {layer, Layer.PRIVILEGES} if layer in {Layer.LANDLOCK, Layer.SECCOMP} else {layer}
    return partial(launch, confinement=Confinement(Profile.SEALED, frozenset(layers)))


def _start(stack: ExitStack, launcher: Launcher, memory: int = 1 << 30) -> Runner | str:
    """Start a process, or return why it cannot be started."""
    try:
        return stack.enter_context(Runner.start(Limits(seconds=10, memory=memory), launcher=launcher))
    except AutodrillError as error:
        return error.message


def _examine(layer: Layer, started: Runner | str) -> LayerFinding:
    what, expression = _PROBES[layer]
    status, done, why = _try(started, expression)
    if status is not None and layer in status.lost:
        return LayerFinding(layer, holds=False, what=what, detail=status.lost[layer])
    if not done:
        return LayerFinding(layer, holds=False, what=what, detail=why)
    return LayerFinding(layer, holds=True, what=what, detail=status.notes.get(layer, "") if status else "")


def _try(started: Runner | str, expression: str) -> tuple[ConfinementStatus | None, bool, str]:
    """Evaluate an expression in a process. Return the status of its layers, whether it was true, and if not, why."""
    if isinstance(started, str):
        return None, False, started
    try:
        loaded = started.load((_PROBE + f"    return {expression}\n").encode(), "probe.py", "probe")
        end = started.call([], budget=100) if isinstance(loaded, Loaded) else loaded
    except AutodrillError as error:
        return started.confinement_status, False, error.message
    if isinstance(end, Returned):
        return (
            started.confinement_status,
            end.value is True,
            "" if end.value is True else "this layer is in force, but refuses nothing",
        )
    return started.confinement_status, False, f"the probe did not return: {end}"
