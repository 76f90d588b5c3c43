"""What every generated question has in common: the fields that a file's question states and these do not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.bank.questions import (
    BugKey,
    ChoiceKey,
    DeriveKey,
    Fence,
    FollowUp,
    Kind,
    NumericKey,
    PredictKey,
    Question,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from autodrill.bank.questions import Difficulty, Key

__all__ = ["counts", "make", "proof", "verdict"]

_KINDS: Mapping[type, Kind] = {
    ChoiceKey: Kind.CHOICE,
    NumericKey: Kind.NUMERIC,
    PredictKey: Kind.PREDICT,
    BugKey: Kind.BUG,
    DeriveKey: Kind.DERIVE,
}


def make(
    source: str,
    difficulty: Difficulty,
    key: Key,
    *,
    minutes: float,
    topics: tuple[str, ...],
    title: str,
    body: str,
    answer: str,
    key_points: Sequence[str],
    wrong_answers: Sequence[str],
    follow_ups: Sequence[tuple[str, str]],
    proofs: tuple[Fence, ...],
    exercises: tuple[str, ...] = (),
) -> Question:
    """Return a question whose kind follows from its key; its id is whoever asked for it to give.

    Args:
        source: The `__file__` of the generator, which stands for the file of a written question.
        difficulty: As asked for.
        key: What an answer is judged against.
        minutes: How long a prepared candidate takes.
        topics: As of a written question.
        title: The question in one line.
        body: The rest of it, in Markdown.
        answer: How it is found.
        key_points: What an interviewer listens for.
        wrong_answers: Common wrong answers, where possible with the number each would give here.
        follow_ups: Further questions, each with its short answer.
        proofs: Programs that bind what `bank.proofs` compares with the key.
        exercises: Ids of the exercises that practise it.
    """
    return Question(
        id="generated",
        kind=_KINDS[type(key)],
        difficulty=difficulty,
        minutes=minutes,
        topics=topics,
        sources=(),
        exercises=exercises,
        title=title,
        body=body,
        answer=answer,
        key_points=tuple(key_points),
        wrong_answers=tuple(wrong_answers),
        commonly_read=(),
        follow_ups=tuple(FollowUp(asked, answered) for asked, answered in follow_ups),
        proofs=proofs,
        key=key,
        path=Path(source),
        line=1,
    )


def proof(code: str, *, torch: bool = False) -> Fence:
    """Return a program of the reference engine, or of PyTorch, as a fence of a proof."""
    return Fence(code.strip("\n") + "\n", "python torch" if torch else "python", 1)


def counts(answers: Mapping[str, int]) -> NumericKey:
    """Return the key of labelled whole numbers, of which every digit counts."""
    # A product typed in floats is exact far beyond these; anything further off is another count.
    return NumericKey({k: str(v) for k, v in answers.items()}, {k: float(v) for k, v in answers.items()}, 1e-9)


def verdict(claim: str, why: str) -> str:
    """Return a wrong answer in the bank's form: what is said in bold, then why not."""
    return f"**{claim}**: {why}"
