"""Generated questions: one generator for each concept, with a seed that repeats the same questions."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from autodrill.bank.generated.accumulation import grad_after_snippet
from autodrill.bank.generated.broadcasting import gradient_under_broadcasting
from autodrill.bank.generated.flops import flops_of_backward
from autodrill.bank.generated.graphs import labelled_graph
from autodrill.bank.generated.memory import memory_of_step
from autodrill.bank.generated.modes import mode_and_passes
from autodrill.bank.questions import Difficulty

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from autodrill.bank.questions import Question

__all__ = ["GENERATORS", "Generator", "generate", "generated"]


class Generator(Protocol):
    """Makes a question of a given difficulty. The same state of `rng` gives the same question.

    The generator computes the key by its own closed rules. The proofs compute it again on the reference engine and in
    PyTorch.
    """

    def __call__(self, rng: random.Random, difficulty: Difficulty, /) -> Question:
        """Draw everything from `rng`. The caller sets the id."""
        ...


GENERATORS: Mapping[str, Generator] = {
    "graph": labelled_graph,
    "broadcasting": gradient_under_broadcasting,
    "modes": mode_and_passes,
    "grad": grad_after_snippet,
    "memory": memory_of_step,
    "flops": flops_of_backward,
}
"""Every generator by its concept, which is its name on the command line."""


def generate(concept: str, difficulty: Difficulty, seed: int, number: int) -> Question:
    """Return question `number` (from 1) of a seed, with a unique id.

    Raises:
        KeyError: There is no such concept.
    """
    rng = random.Random(f"{seed}:{concept}:{difficulty}:{number}")  # noqa: S311 - a question, not a secret
    question = GENERATORS[concept](rng, difficulty)
    return replace(question, id=f"{concept}-{difficulty}-{seed}-{number}")


def generated(concepts: Sequence[str], difficulties: Sequence[Difficulty], seed: int) -> Iterator[Question]:
    """Yield questions without end: for each difficulty from easy to hard, one of each concept, and again.

    Args:
        concepts: Names of `GENERATORS`.
        difficulties: The difficulties; all if empty.
        seed: The same seed gives the same questions.
    """
    levels = [level for level in Difficulty if level in difficulties] or list(Difficulty)
    number = 0
    while True:
        for level in levels:
            for concept in concepts:
                number += 1
                yield generate(concept, level, seed, number)
