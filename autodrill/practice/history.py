"""The entries of the log for a reader: ratings with what was typed, and attempts at exercises, by date."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from autodrill.practice.log_records import Attempt, Review

__all__ = ["Entry", "entries"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One rating of a card, or one attempt at an exercise.

    Attributes:
        at: The time, in UTC.
        id: The id of the question or the exercise.
        what: The word of the rating, or the verdict of the attempt.
        typed: What was typed, each with its label and whether it was right, or None if it was not judged.
        made: How many of the needed key points were made, and how many there are; None if none were ticked.
        missed: The needed key points that were not made.
        seconds: How long it took, if that is known.
        attempt: The number of an attempt at its exercise, from 1; None for a rating.
        rule: The key of the rule that an attempt broke; empty if none was named.
    """

    at: datetime
    id: str
    what: str
    typed: tuple[tuple[str, str, bool | None], ...] = ()
    made: tuple[int, int] | None = None
    missed: tuple[str, ...] = ()
    seconds: float | None = None
    attempt: int | None = None
    rule: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        return {
            "at": self.at.isoformat(),
            "id": self.id,
            "what": self.what,
            "typed": [{"label": label, "text": text, "right": right} for label, text, right in self.typed],
            "made": None if self.made is None else self.made[0],
            "needed": None if self.made is None else self.made[1],
            "missed": list(self.missed),
            "seconds": self.seconds,
            "attempt": self.attempt,
            "rule": self.rule,
        }


def entries(reviews: Iterable[Review], attempts: Iterable[Attempt], identity: str | None = None) -> list[Entry]:
    """Return the entries of one card or of all cards, the oldest first."""
    found, made = [_rated(review) for review in reviews], Counter[str]()
    for tried in attempts:
        made[tried.exercise] += 1
        rule = tried.detail.get("rule") or ""
        found.append(Entry(tried.at, tried.exercise, tried.verdict, attempt=made[tried.exercise], rule=rule))
    return sorted((e for e in found if identity in {None, e.id}), key=lambda entry: entry.at)


def _rated(review: Review) -> Entry:
    detail = review.detail
    answers = detail.get("answers", [])
    right = detail.get("right", [None] * len(answers))
    typed = tuple((a["label"], a["text"], good) for a, good in zip(answers, right, strict=False))
    made = None
    if "ticked" in detail:
        needed = detail.get("needed", detail["points"])
        made = (sum(point < needed for point in detail["ticked"]), needed)
    missed = tuple(detail.get("missed", ()))
    name = review.card.partition(":")[2]
    return Entry(review.at, name, review.rating.word, typed, made, missed, detail.get("seconds"))
