"""What all generated questions share: their record, and the fields that only questions from files have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.bank.questions import (
    MOST_NEEDED,
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
    """Return a question whose kind follows from its key. The caller sets the id.

    Args:
        source: The `__file__` of the generator, in place of the question's file.
        difficulty: The difficulty.
        key: What an answer is judged against.
        minutes: How long a prepared candidate takes.
        topics: The topics; the first one is the home topic.
        title: The question in one line.
        body: The rest of the question, in Markdown.
        answer: The answer with its derivation.
        key_points: The points that an interviewer listens for.
        wrong_answers: Common wrong answers, if possible with the number that each gives here.
        follow_ups: Further questions, each with its short answer.
        proofs: Programs that bind the names that `bank.proofs` compares with the key.
        exercises: Ids of exercises that practise it.
    """
    return Question(
        id="generated",
        kind=_KINDS[type(key)],
        difficulty=difficulty,
        answering=minutes,
        topics=topics,
        sources=(),
        exercises=exercises,
        title=title,
        body=body,
        answer=answer,
        key_points=tuple(key_points),
        needed=min(len(key_points), MOST_NEEDED),
        wrong_answers=tuple(wrong_answers),
        commonly_read=(),
        follow_ups=tuple(FollowUp(asked, answered) for asked, answered in follow_ups),
        proofs=proofs,
        key=key,
        path=Path(source),
        line=1,
    )


def proof(code: str, *, torch: bool = False) -> Fence:
    """Return a program for the reference engine or for PyTorch as a fence of a proof."""
    return Fence(code.strip("\n") + "\n", "python torch" if torch else "python", 1)


def counts(answers: Mapping[str, int]) -> NumericKey:
    """Return the key of labelled integers, where every digit counts."""
    # Products in floats are exact for numbers of this size, so the tolerance admits only the same integer.
    return NumericKey({k: str(v) for k, v in answers.items()}, {k: float(v) for k, v in answers.items()}, 1e-9)


def verdict(claim: str, why: str) -> str:
    """Return a wrong answer in the bank's form: the claim in bold, then the reason why it is wrong."""
    return f"**{claim}**: {why}"
