"""The lockdown of a child process: it takes the layers of a confinement, and reports those it cannot take."""

from __future__ import annotations

import os
import sys
import sysconfig
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from . import rlimits
from .confinement import Confinement, ConfinementStatus, Layer, Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .pinning import Window

__all__ = ["Lockdown", "prepare"]

_NOT_READ = frozenset({"site-packages", "dist-packages", "__pycache__", "test", "idlelib", "turtledemo", "ensurepip"})
"""Folders in the folder of the standard library that are not readable: installed packages could hold solutions."""


@dataclass(slots=True)
class Lockdown:
    """The prepared steps that confine a process. They are prepared once, and applied in each forked process.

    Attributes:
        steps: The layers in the order in which they are taken, each with a function that takes it. Its argument is the
            bytes that the process may allocate beyond those in use now. It may return a remark.
        ruleset: Descriptor of the Landlock ruleset.
        lost: The layers that this machine does not have, with the reason.
        notes: A remark on a layer.
    """

    steps: list[tuple[Layer, Callable[[int], str | None]]] = field(default_factory=list)
    ruleset: int | None = None
    lost: dict[Layer, str] = field(default_factory=dict)
    notes: dict[Layer, str] = field(default_factory=dict)

    def apply(self, memory: int) -> ConfinementStatus:
        """Take every layer, irrevocably.

        Args:
            memory: Bytes that this process may allocate beyond what Python and NumPy take.
        """
        held: list[Layer] = []
        lost, notes = dict(self.lost), dict(self.notes)
        for layer, take in self.steps:
            try:
                note = take(memory)
            except OSError as error:
                lost[layer] = _reason(error)
                continue
            if note:
                notes[layer] = note
            held.append(layer)
        if self.ruleset is not None:
            os.close(self.ruleset)
        return ConfinementStatus(tuple(held), lost, notes)


def prepare(
    confinement: Confinement, numpy: str, parent: int, readable: Iterable[str] = (), *, place: int | None = None
) -> Lockdown:
    """Prepare the steps of a confinement, while files can still be opened.

    Args:
        confinement: The layers to take, and how strict they are.
        numpy: The folder that contains NumPy's package.
        parent: The process id of the parent of the process to be confined, as the parent knows it.
        readable: Further folders that can be read under the open profile.
        place: The descriptor to give the ruleset; any by default.
    """
    lockdown = Lockdown()
    used = rlimits.address_space()
    windows: list[Window] = []
    sealed = confinement.profile is Profile.SEALED

    def environment() -> Callable[[int], None]:
        return lambda _: os.chdir("/")  # the parent has already cleaned variables and descriptors

    def resources() -> Callable[[int], None]:
        def take(memory: int) -> None:
            if window := rlimits.bound(memory, used, threads=confinement.threads):
                windows.append(window)

        return take

    def privileges() -> Callable[[int], str]:
        _need_linux()
        from .privileges import drop

        return lambda _: drop(confinement.profile, parent)

    def landlock() -> Callable[[int], None]:
        _need_linux()
        from . import landlock

        known = landlock.version()
        missing = landlock.gaps(known)
        lockdown.notes[Layer.LANDLOCK] = f"ABI {known}" + (f", without {missing}" if missing else "")
        ruleset = landlock.make_ruleset(() if sealed else (*_readable(numpy), *readable))
        if place is not None and place != ruleset:
            os.dup2(ruleset, place, inheritable=False)
            os.close(ruleset)
            ruleset = place
        lockdown.ruleset = ruleset
        return lambda _: landlock.restrict(ruleset)

    def seccomp() -> Callable[[int], None]:
        _need_linux()
        from . import seccomp

        rules = partial(seccomp.rules, confinement.profile, threads=confinement.threads)
        program = seccomp.assemble(rules())
        lockdown.notes[Layer.SECCOMP] = f"{program.length} instructions"
        # A window is known only once the bound is set, in the process itself.
        return lambda _: seccomp.install(seccomp.assemble(rules(windows[0])) if windows else program)

    steps = {
        Layer.ENVIRONMENT: environment,
        Layer.RLIMITS: resources,  # before the change of user: root may raise limits
        Layer.PRIVILEGES: privileges,
        Layer.LANDLOCK: landlock,
        Layer.SECCOMP: seccomp,  # last: it forbids system calls that the others make
    }
    for layer, make in steps.items():
        if layer in confinement.layers:
            with _losing(layer, lockdown.lost):
                lockdown.steps.append((layer, make()))
    return lockdown


def _need_linux() -> None:
    if sys.platform != "linux":
        raise OSError("only Linux has it")


@contextmanager
def _losing(layer: Layer, lost: dict[Layer, str]) -> Iterator[None]:
    """Record the reason if a layer cannot be taken."""
    try:
        yield
    except (OSError, ImportError) as error:  # ImportError: a Python built without ctypes
        lost[layer] = _reason(error)


def _reason(error: OSError | ImportError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _readable(numpy: str) -> Iterator[str]:
    """Yield what honest code reads: the standard library, its extension modules and NumPy.

    A Landlock rule cannot exclude a part of an allowed folder. `site-packages` is in the folder of the standard
    library, so everything else in that folder is allowed, one by one.
    """
    for folder in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}:
        with suppress(FileNotFoundError):
            yield from (entry.path for entry in os.scandir(folder) if entry.name not in _NOT_READ)
    yield from (entry.path for entry in os.scandir(numpy) if entry.name in {"numpy", "numpy.libs"})
