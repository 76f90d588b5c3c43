"""The names of what keeps a candidate's process in its place, known to both sides."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from . import wire

__all__ = ["Layer", "Profile", "Standing"]


class Layer(StrEnum):
    """One thing a process gives up before it reads a candidate's first byte."""

    ENVIRONMENT = "environment"
    """An environment, a working folder and descriptors that tell nothing and lead nowhere."""
    PRIVILEGES = "privileges"
    """Nothing gained by executing, nobody's memory to be read, dead when the parent is; no power of root's."""
    RLIMITS = "rlimits"
    """Bounded memory, files, processes and core dumps."""
    LANDLOCK = "landlock"
    """Which files can be opened, decided by where they lie."""
    SECCOMP = "seccomp"
    """Which system calls can be made at all."""


class Profile(StrEnum):
    """How tight landlock and seccomp are."""

    OPEN = "open"
    """For one's own code: the standard library and NumPy can be read, nothing written, nothing started."""
    SEALED = "sealed"
    """For other people's: no file can be opened or so much as looked for, no memory made executable, no signal sent."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of the layers that were asked for.

    Attributes:
        held: Those in force, in the order they were taken.
        lost: Those that could not be had, with the reason.
        notes: What is worth knowing about a layer that holds, such as its version.
    """

    held: tuple[Layer, ...] = ()
    lost: Mapping[Layer, str] = field(default_factory=dict)
    notes: Mapping[Layer, str] = field(default_factory=dict)

    def to_wire(self) -> wire.Value:
        """Describe it for the wire."""
        return (tuple(map(str, self.held)), _texts(self.lost), _texts(self.notes))


def _texts(said: Mapping[Layer, str]) -> dict[str, wire.Value]:
    return {str(layer): words for layer, words in said.items()}
