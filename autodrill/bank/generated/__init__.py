"""Questions without end: a generator for each concept, and a seed that gives the same ones again."""

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
    """Makes a question of a difficulty: the same one whenever `rng` is in the same state.

    Its key follows from closed rules of its own; its proofs compute the same on the reference engine and in PyTorch.
    """

    def __call__(self, rng: random.Random, difficulty: Difficulty, /) -> Question:
        """Draw everything from `rng`; the id is left to whoever asks."""
        ...


GENERATORS: Mapping[str, Generator] = {
    "graph": labelled_graph,
    "broadcasting": gradient_under_broadcasting,
    "modes": mode_and_passes,
    "grad": grad_after_snippet,
    "memory": memory_of_step,
    "flops": flops_of_backward,
}
"""Every generator by its concept: what is asked for on the command line."""


def generate(concept: str, difficulty: Difficulty, seed: int, number: int) -> Question:
    """Return the question with this number, from 1, of a seed; no other question has its id.

    Raises:
        KeyError: There is no such concept.
    """
    rng = random.Random(f"{seed}:{concept}:{difficulty}:{number}")  # noqa: S311 - a question, not a secret
    question = GENERATORS[concept](rng, difficulty)
    return replace(question, id=f"{concept}-{difficulty}-{seed}-{number}")


def generated(concepts: Sequence[str], difficulties: Sequence[Difficulty], seed: int) -> Iterator[Question]:
    """Yield questions without end: the concepts in turn, the difficulties from easy to hard in turn for each.

    Args:
        concepts: Names of `GENERATORS`.
        difficulties: Which to ask; all of them where empty.
        seed: The same seed gives the same questions.
    """
    levels = [level for level in Difficulty if level in difficulties] or list(Difficulty)
    number = 0
    while True:
        for level in levels:
            for concept in concepts:
                number += 1
                yield generate(concept, level, seed, number)
