"""The confinement of a child process: its layers, the two profiles, and what is required before a submission is sent.

Both processes import this module. `lockdown` applies a confinement, in the child process.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

    from . import wire

__all__ = [
    "APART",
    "OPEN",
    "OPEN_WITH_THREADS",
    "SEALED",
    "SEPARATE",
    "Confinement",
    "ConfinementStatus",
    "Layer",
    "Profile",
]


class Layer(StrEnum):
    """A group of rights that a child process gives up before it reads the first byte of a submission."""

    ENVIRONMENT = "environment"
    """No environment variable, working folder or descriptor of the parent's."""
    PRIVILEGES = "privileges"
    """No gain of privileges by executing, no other process's memory, no capabilities; killed when the parent ends."""
    RLIMITS = "rlimits"
    """Bounded memory, files, processes and core dumps."""
    LANDLOCK = "landlock"
    """Which files can be opened, by path."""
    SECCOMP = "seccomp"
    """Which system calls can be made."""


class Profile(StrEnum):
    """How strict the layers are. `seccomp` lists the system calls of each profile."""

    OPEN = "open"
    """For your own code: it can read the standard library and NumPy, but write no file and start no process."""
    SEALED = "sealed"
    """For other people's code: it cannot open or look up files, make memory executable, or send signals."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """The layers to take, and those that must hold.

    Attributes:
        profile: How strict they are.
        layers: The layers to take.
        required: The layers without which nothing of a submission is sent.
        threads: Whether it may start threads, which inherit every layer.
    """

    profile: Profile
    layers: frozenset[Layer] = frozenset(Layer)
    required: frozenset[Layer] = frozenset()
    threads: bool = False

    def missing(self, status: ConfinementStatus) -> tuple[Layer, ...]:
        """Return the required layers that do not hold, in the order of `Layer`."""
        return tuple(layer for layer in Layer if layer in self.required and layer not in status.held)

    def to_wire(self) -> dict[str, wire.Value]:
        """Return the part of START that tells the child process about it."""
        layers = tuple(str(layer) for layer in Layer if layer in self.layers)
        return {"profile": str(self.profile), "layers": layers, "threads": self.threads}

    @classmethod
    def from_wire(cls, start: Mapping[str, wire.Value]) -> Self:
        """Read it from START, which the parent has written."""
        layers = start["layers"]
        assert isinstance(layers, tuple)
        held = frozenset(Layer(str(name)) for name in layers)
        return cls(Profile(str(start["profile"])), held, threads=bool(start["threads"]))


OPEN = Confinement(Profile.OPEN)
"""For your own code: every layer that this machine has."""

OPEN_WITH_THREADS = Confinement(Profile.OPEN, threads=True)
"""For your own code that uses a library which cannot work without threads."""

SEALED = Confinement(Profile.SEALED, required=frozenset({Layer.RLIMITS, Layer.PRIVILEGES, Layer.SECCOMP}))
"""For other people's code. Landlock is not required: under this profile seccomp alone already refuses to open files."""

APART = Confinement(Profile.OPEN, frozenset({Layer.ENVIRONMENT}))
"""A separate process without limits, for your own code on a GPU: a driver needs devices, threads and addresses."""

SEPARATE = Confinement(Profile.OPEN, frozenset({Layer.ENVIRONMENT, Layer.RLIMITS}))
"""A separate process with limits, as on a system that has no other layer."""


@dataclass(frozen=True, slots=True)
class ConfinementStatus:
    """Which layers hold.

    Attributes:
        held: The layers in force, in the order in which they were taken.
        lost: The layers that could not be taken, with the reason.
        notes: A remark on a layer that holds, such as its version.
    """

    held: tuple[Layer, ...] = ()
    lost: Mapping[Layer, str] = field(default_factory=dict)
    notes: Mapping[Layer, str] = field(default_factory=dict)

    def to_wire(self) -> wire.Value:
        """Return the payload of READY."""
        return (tuple(map(str, self.held)), _to_texts(self.lost), _to_texts(self.notes))

    @classmethod
    def from_wire(cls, value: wire.Value) -> Self:
        """Read the payload of READY. It is trusted: the child process has not yet read anything of a submission."""
        assert isinstance(value, tuple)
        held, lost, notes = value
        assert isinstance(held, tuple)
        assert isinstance(lost, dict)
        assert isinstance(notes, dict)
        return cls(
            tuple(Layer(str(name)) for name in held),
            {Layer(name): str(why) for name, why in lost.items()},
            {Layer(name): str(note) for name, note in notes.items()},
        )


def _to_texts(texts: Mapping[Layer, str]) -> dict[str, wire.Value]:
    return {str(layer): text for layer, text in texts.items()}
