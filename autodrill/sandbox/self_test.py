"""Which layers hold on this machine: each is taken alone, in a child, and put to an act that it must refuse."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
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

_ACTS: Mapping[Layer, tuple[str, str]] = {
    Layer.ENVIRONMENT: ("tells nothing", 'not {"HOME", "PATH", "USER"} & set(os.environ) and os.getcwd() == "/"'),
    Layer.PRIVILEGES: (
        "no rights to be had",
        'all(said in status() for said in ("NoNewPrivs:1", "CapEff:" + "0" * 16))',
    ),
    Layer.RLIMITS: ("memory is bounded", "refused(lambda: bytearray(1 << 34))"),
    Layer.LANDLOCK: ("no file opened", 'refused(lambda: os.open("/", os.O_RDONLY))'),
    Layer.SECCOMP: (
        "no look-up, process, pipe or signal",
        "all(map(refused, (look, os.fork, os.pipe, signal)))",
    ),
}
"""What each layer is for, and an expression that tells whether it does that."""

_WHOLE = (Layer.RLIMITS, Layer.LANDLOCK, Layer.SECCOMP)
"""The layers whose acts need nothing but be refused, which can be tried under all layers together."""

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

def probe():
"""


@dataclass(frozen=True, slots=True)
class LayerFinding:
    """What was found of one layer.

    Attributes:
        layer: The layer.
        holds: Whether it can be had and does what it is for.
        what: What it is for.
        detail: Its version or user; or why it does not hold.
    """

    layer: Layer
    holds: bool
    what: str
    detail: str


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    """What was found of all.

    Attributes:
        findings: One for each layer.
        sealed: Whether a process under the sealed profile works here and is confined as it must be.
        why: Why not; empty if it is.
    """

    findings: tuple[LayerFinding, ...]
    sealed: bool
    why: str = ""


def run_self_test() -> SelfTestResult:
    """Try every layer alone, then the sealed profile as a whole. Nothing is written anywhere."""
    with ExitStack() as stack:
        alone = [(layer, _start(stack, _only(layer))) for layer in Layer]  # all at once: each takes a while to start
        server = stack.enter_context(ForkServer(SEALED))
        findings = tuple(_examine(layer, started) for layer, started in alone)
        _, done, why = _try(_start(stack, server.launch), " and ".join(_ACTS[layer][1] for layer in _WHOLE))
    return SelfTestResult(findings, done, why)


def _only(layer: Layer) -> Launcher:
    # Whoever could still gain privileges may not take the last two layers, unless it is root.
    layers = {layer, Layer.PRIVILEGES} if layer in {Layer.LANDLOCK, Layer.SECCOMP} else {layer}
    return partial(launch, confinement=Confinement(Profile.SEALED, frozenset(layers)))


def _start(stack: ExitStack, launcher: Launcher) -> Runner | str:
    """Start a process, or say why it cannot be started."""
    try:
        return stack.enter_context(Runner.start(Limits(seconds=10), launcher=launcher))
    except AutodrillError as error:
        return error.message


def _examine(layer: Layer, started: Runner | str) -> LayerFinding:
    what, act = _ACTS[layer]
    status, done, why = _try(started, act)
    if status is not None and layer in status.lost:
        return LayerFinding(layer, holds=False, what=what, detail=status.lost[layer])
    if not done:
        return LayerFinding(layer, holds=False, what=what, detail=why)
    return LayerFinding(layer, holds=True, what=what, detail=status.notes.get(layer, "") if status else "")


def _try(started: Runner | str, act: str) -> tuple[ConfinementStatus | None, bool, str]:
    """Return what a process says of its layers, whether an act went as it must, and if not, why."""
    if isinstance(started, str):
        return None, False, started
    try:
        loaded = started.load((_PROBE + f"    return {act}\n").encode(), "probe.py", "probe")
        end = started.call([], budget=100) if isinstance(loaded, Loaded) else loaded
    except AutodrillError as error:
        return started.confinement_status, False, error.message
    if isinstance(end, Returned):
        return (
            started.confinement_status,
            end.value is True,
            "" if end.value is True else "it is in force and yet refuses nothing",
        )
    return started.confinement_status, False, f"the probe did not return: {end}"
