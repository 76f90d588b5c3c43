"""What keeps a candidate's process in its place: what is asked for, what was had, and when that is enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.sandbox.child.layer_names import Layer, Profile, Standing

if TYPE_CHECKING:
    from autodrill.sandbox.child import wire

__all__ = ["OPEN", "SEALED", "SEPARATE", "Confinement", "Layer", "Profile", "Standing", "read_standing"]

_MINIMUM = frozenset({Layer.RLIMITS, Layer.PRIVILEGES, Layer.SECCOMP})


@dataclass(frozen=True, slots=True)
class Confinement:
    """What is asked for.

    Attributes:
        profile: How tight landlock and seccomp are.
        layers: Which layers to take.
        required: Those without which no byte of a candidate's is sent.
    """

    profile: Profile
    layers: frozenset[Layer] = frozenset(Layer)
    required: frozenset[Layer] = frozenset()

    def short_of(self, standing: Standing) -> tuple[Layer, ...]:
        """Return the required layers that are not held, in the order of `Layer`."""
        return tuple(layer for layer in Layer if layer in self.required and layer not in standing.held)

    def to_wire(self) -> dict[str, wire.Value]:
        """What a child is told of it."""
        return {"profile": str(self.profile), "layers": tuple(str(layer) for layer in Layer if layer in self.layers)}


OPEN = Confinement(Profile.OPEN)
"""For one's own code: as much as can be had."""

SEALED = Confinement(Profile.SEALED, required=_MINIMUM)
"""For other people's: never without bounded resources, dropped privileges and the sealed system-call filter. Landlock
is asked for on top, but the filter alone lets no file be opened."""

SEPARATE = Confinement(Profile.OPEN, frozenset({Layer.ENVIRONMENT, Layer.RLIMITS}))
"""A process apart with limits, as on a system that has nothing else."""


def read_standing(value: wire.Value) -> Standing:
    """Read what a child says of its layers; it says it before it has read anything of a candidate's."""
    assert isinstance(value, tuple)
    held, lost, notes = value
    assert isinstance(held, tuple)
    assert isinstance(lost, dict)
    assert isinstance(notes, dict)
    return Standing(
        tuple(Layer(str(name)) for name in held),
        {Layer(name): str(why) for name, why in lost.items()},
        {Layer(name): str(note) for name, note in notes.items()},
    )
