"""A plan: what one kind of call of a primitive saves for backward, and the rules that backward will run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from operator import itemgetter

__all__ = ["Plan", "Rule"]

Rule = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What one call must save and what its backward will run, for one combination of inputs that require grad.

    Attributes:
        inputs: Positions of the inputs to save.
        origins: For each of those, which parent it is (its index in the node's parents), or None for a constant.
        saves_out: Whether the result is saved, after the inputs.
        extras: Names of shapes, dtypes and static values to save, after the result.
        inputs_tracked: For each parent, the position of its input.
        steps: For each differentiable input that requires grad: which parent it is, its rule, and where in `saved`
            the rule's arguments are.
    """

    inputs: tuple[int, ...]
    origins: tuple[int | None, ...]
    saves_out: bool
    extras: tuple[str, ...]
    inputs_tracked: tuple[int, ...]
    steps: tuple[tuple[int, Rule, int | itemgetter[Any] | None], ...]

    @property
    def saves_arrays(self) -> bool:
        """Whether there is memory to free after backward, as PyTorch counts it: shapes are not."""
        return self.saves_out or bool(self.inputs)
