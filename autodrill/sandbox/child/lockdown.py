"""Taking the layers, in their order, before a candidate's first byte is read; one that cannot be had is named."""

from __future__ import annotations

import os
import sys
import sysconfig
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import rlimits
from .layer_names import Layer, Profile, Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from . import wire

__all__ = ["Order", "Ready", "confine", "make_ready", "read_order"]

_NOT_READ = frozenset({"site-packages", "dist-packages", "__pycache__", "test", "idlelib", "turtledemo", "ensurepip"})
"""Below the standard library's folder, and not of it: there may be installed what knows the answers."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is to be confined by.

    Attributes:
        profile: How tight.
        layers: Which layers to take.
    """

    profile: Profile
    layers: frozenset[Layer]


def read_order(told: Mapping[str, wire.Value]) -> Order:
    """Read an order from what the parent, which is trusted, has sent."""
    layers = told["layers"]
    assert isinstance(layers, tuple)
    return Order(Profile(str(told["profile"])), frozenset(Layer(str(name)) for name in layers))


@dataclass(slots=True)
class Ready:
    """What takes time to make and can be made once for many processes, so that taking the layers takes little.

    Attributes:
        steps: The layers that can be had, in the order they are taken, and how each is: told how many bytes may be
            allocated beyond what is in use now, and saying what is worth knowing.
        ruleset: Descriptor of the Landlock ruleset.
        lost: Layers that cannot be had here, with the reason.
        notes: What is worth knowing of the others.
    """

    steps: list[tuple[Layer, Callable[[int], str | None]]] = field(default_factory=list)
    ruleset: int | None = None
    lost: dict[Layer, str] = field(default_factory=dict)
    notes: dict[Layer, str] = field(default_factory=dict)


def make_ready(
    order: Order, numpy: str, parent: int, readable: Iterable[str] = (), *, place: int | None = None
) -> Ready:
    """Make what an order needs that can be made before, while files can still be opened.

    Args:
        order: The order.
        numpy: The folder NumPy's package is in.
        parent: The process id of the parent, as that knows it, of those that are to be confined.
        readable: Folders that can be read as well, under the open profile.
        place: Which descriptor the ruleset shall be; any if not given.
    """
    ready = Ready()
    used = rlimits.address_space()
    sealed = order.profile is Profile.SEALED

    def environment() -> Callable[[int], None]:
        return lambda _: os.chdir("/")  # the rest of it is clean by the parent's doing

    def resources() -> Callable[[int], None]:
        return lambda memory: rlimits.bound(memory, used)

    def privileges() -> Callable[[int], str]:
        _need_linux()
        from .privileges import drop

        return lambda _: drop(order.profile, parent)

    def landlock() -> Callable[[int], None]:
        _need_linux()
        from . import landlock

        known = landlock.version()
        missing = landlock.gaps(known)
        ready.notes[Layer.LANDLOCK] = f"ABI {known}" + (f", without {missing}" if missing else "")
        ruleset = landlock.make_ruleset(() if sealed else (*_readable(numpy), *readable))
        if place is not None and place != ruleset:
            os.dup2(ruleset, place, inheritable=False)
            os.close(ruleset)
            ruleset = place
        ready.ruleset = ruleset
        return lambda _: landlock.restrict(ruleset)

    def seccomp() -> Callable[[int], None]:
        _need_linux()
        from . import seccomp

        program = seccomp.assemble(seccomp.rules(order.profile))
        ready.notes[Layer.SECCOMP] = f"{program.length} instructions"
        return lambda _: seccomp.install(program)

    steps = {
        Layer.ENVIRONMENT: environment,
        Layer.RLIMITS: resources,  # before the user changes: root may set them all
        Layer.PRIVILEGES: privileges,
        Layer.LANDLOCK: landlock,
        Layer.SECCOMP: seccomp,  # last: it forbids what the others need
    }
    for layer, make in steps.items():
        if layer in order.layers:
            with _losing(layer, ready.lost):
                ready.steps.append((layer, make()))
    return ready


def confine(ready: Ready, memory: int) -> Standing:
    """Take every layer of an order that can be had, for good.

    Args:
        ready: What was made for the order; its ruleset is closed.
        memory: Bytes this process may allocate beyond what Python and NumPy take.
    """
    held: list[Layer] = []
    lost, notes = dict(ready.lost), dict(ready.notes)
    for layer, take in ready.steps:
        try:
            note = take(memory)
        except OSError as error:
            lost[layer] = _reason(error)
            continue
        if note:
            notes[layer] = note
        held.append(layer)
    if ready.ruleset is not None:
        os.close(ready.ruleset)
    return Standing(tuple(held), lost, notes)


def _need_linux() -> None:
    if sys.platform != "linux":
        raise OSError("only Linux has it")


@contextmanager
def _losing(layer: Layer, lost: dict[Layer, str]) -> Iterator[None]:
    """Note that a layer is lost, with the reason, if it cannot be had."""
    try:
        yield
    except (OSError, ImportError) as error:  # ImportError: a Python built without ctypes
        lost[layer] = _reason(error)


def _reason(error: OSError | ImportError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _readable(numpy: str) -> Iterator[str]:
    """What honest code reads: the standard library, its extension modules and NumPy, and no other package.

    A rule cannot take back a part of what another allows, so the folder that holds `site-packages` is not allowed as
    a whole: all else in it is, one by one.
    """
    for folder in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}:
        with suppress(FileNotFoundError):
            yield from (entry.path for entry in os.scandir(folder) if entry.name not in _NOT_READ)
    yield from (entry.path for entry in os.scandir(numpy) if entry.name in {"numpy", "numpy.libs"})
