"""Taking the layers, in their order, before a candidate's first byte is read; one that cannot be had is named."""

from __future__ import annotations

import os
import sys
import sysconfig
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import limits
from .layers import Layer, Profile, Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from . import wire
    from .seccomp import Filter

__all__ = ["Order", "Ready", "confine", "make_ready", "read_order"]

_NOT_READ = frozenset({"site-packages", "dist-packages", "__pycache__", "test", "idlelib", "turtledemo", "ensurepip"})
"""Below the standard library's folder, and not of it: there may be installed what knows the answers."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is to be confined by.

    Attributes:
        profile: How tight.
        layers: Which layers to take.
        memory: Bytes it may allocate beyond what Python and NumPy take.
    """

    profile: Profile
    layers: frozenset[Layer]
    memory: int


def read_order(told: Mapping[str, wire.Value]) -> Order:
    """Read an order from what the parent, which is trusted, has sent."""
    layers, memory = told["layers"], told["memory"]
    assert isinstance(layers, tuple)
    assert isinstance(memory, int)
    return Order(Profile(str(told["profile"])), frozenset(Layer(str(name)) for name in layers), memory)


@dataclass(slots=True)
class Ready:
    """What takes time to make and can be made once for many processes: the ruleset and the filter.

    Attributes:
        ruleset: Descriptor of the Landlock ruleset.
        filter: The system-call filter.
        used: Bytes of address space in use.
        lost: Layers that cannot be had here, with the reason.
        notes: What is worth knowing of the others.
    """

    ruleset: int | None = None
    filter: Filter | None = None
    used: int | None = None
    lost: dict[Layer, str] = field(default_factory=dict)
    notes: dict[Layer, str] = field(default_factory=dict)


def make_ready(order: Order, numpy: str, readable: Iterable[str] = ()) -> Ready:
    """Make what an order needs that can be made before, while files can still be opened.

    Args:
        order: The order.
        numpy: The folder NumPy's package is in.
        readable: Folders that can be read as well, under the open profile.
    """
    ready = Ready(used=limits.address_space())
    if Layer.LANDLOCK in order.layers:
        with _losing(Layer.LANDLOCK, ready.lost):
            _need_linux()
            from . import landlock

            known = landlock.version()
            missing = landlock.gaps(known)
            ready.notes[Layer.LANDLOCK] = f"ABI {known}" + (f", without {missing}" if missing else "")
            sealed = order.profile is Profile.SEALED
            ready.ruleset = landlock.make_ruleset(() if sealed else (*_readable(numpy), *readable))
    if Layer.SECCOMP in order.layers:
        with _losing(Layer.SECCOMP, ready.lost):
            _need_linux()
            from . import seccomp

            ready.filter = seccomp.assemble(seccomp.rules(order.profile))
            ready.notes[Layer.SECCOMP] = f"{ready.filter.length} instructions"
    return ready


def confine(order: Order, ready: Ready, parent: int) -> Standing:
    """Take every layer of an order that can be had, for good.

    Args:
        order: The order.
        ready: What was made before; its ruleset is closed.
        parent: The parent's process id as it knew it.
    """
    held: list[Layer] = []
    lost, notes = dict(ready.lost), dict(ready.notes)

    def take(layer: Layer, act: Callable[[], str | None]) -> None:
        if layer not in order.layers or layer in lost:
            return
        with _losing(layer, lost):
            note = act()
            if note:
                notes[layer] = note
            held.append(layer)

    def restrict() -> None:
        from . import landlock

        assert ready.ruleset is not None
        landlock.restrict(ready.ruleset)
        os.close(ready.ruleset)

    def install() -> None:
        from . import seccomp

        assert ready.filter is not None
        seccomp.install(ready.filter)

    take(Layer.ENVIRONMENT, lambda: os.chdir("/"))  # the rest of it is clean by the parent's doing
    # Before the user changes: root may set them all.
    take(Layer.RLIMITS, lambda: limits.bound(order.memory, ready.used))
    take(Layer.PRIVILEGES, lambda: _drop(order.profile, parent))
    take(Layer.LANDLOCK, restrict)
    take(Layer.SECCOMP, install)  # last: it forbids what the others need
    if ready.ruleset is not None:
        with suppress(OSError):
            os.close(ready.ruleset)
    return Standing(tuple(held), lost, notes)


def _drop(profile: Profile, parent: int) -> str:
    _need_linux()
    from . import privileges

    return privileges.drop(profile, parent)


def _need_linux() -> None:
    if sys.platform != "linux":
        raise OSError("only Linux has it")


@contextmanager
def _losing(layer: Layer, lost: dict[Layer, str]) -> Iterator[None]:
    """Note that a layer is lost, with the reason, if taking it fails."""
    try:
        yield
    except (OSError, ImportError) as error:  # ImportError: a Python built without ctypes
        lost[layer] = (isinstance(error, OSError) and error.strerror) or str(error)


def _readable(numpy: str) -> Iterator[str]:
    """What honest code reads: the standard library, its extension modules and NumPy, and no other package.

    A rule cannot take back a part of what another allows, so the folder that holds `site-packages` is not allowed as
    a whole: all else in it is, one by one.
    """
    for folder in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}:
        with suppress(FileNotFoundError):
            yield from (entry.path for entry in os.scandir(folder) if entry.name not in _NOT_READ)
    yield from (entry.path for entry in os.scandir(numpy) if entry.name in {"numpy", "numpy.libs"})
