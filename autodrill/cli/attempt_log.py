"""What `check` and `watch` log of a graded file, and what they tell the learner about it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.cli.options import now, open_store
from autodrill.errors import StoreError
from autodrill.practice.log_records import exercise_card
from autodrill.practice.progress import log_attempt

if TYPE_CHECKING:
    from autodrill.grading.report import Report
    from autodrill.practice.store import Store

__all__ = ["Logged", "log_report"]


@dataclass(frozen=True, slots=True)
class Logged:
    """A logged attempt.

    Attributes:
        review_line: When the exercise is due; empty if the attempt is not a pass.
        review: The log number of the review that the attempt added, or None.
        problem: Why the attempt is not saved; empty if it is.
    """

    review_line: str = ""
    review: int | None = None
    problem: str = ""


def log_report(report: Report, source: bytes, store: Store | None = None) -> Logged:
    """Log an attempt and the review that follows from it.

    Args:
        report: The report.
        source: The graded file.
        store: The history, if it is open already. Opening and closing it takes longer than all else.
    """
    moment = now()
    card = exercise_card(report.exercise)
    try:
        with nullcontext(store) if store else open_store() as history:
            before = history.reviews(card)[-1:]
            text = source.decode("utf-8", "replace")
            due = log_attempt(history, report.exercise, report.verdict, text, report.seed, moment, _facts(report))
            after = history.reviews(card)[-1:]
    except StoreError as error:  # the verdict is shown all the same
        return Logged(problem=f"attempt not saved: {error.message}")
    review = after[0].id if after and after != before else None
    if due is None:
        return Logged(review=review)
    days = round((due - moment).total_seconds() / 86400)
    when = "today" if days <= 0 else "tomorrow" if days == 1 else f"in {days} days"
    return Logged(f"next review {when}", review)


def _facts(report: Report) -> dict[str, str]:
    """Return what is kept of a report, so that the learner's common faults can be counted."""
    failure = report.failure
    if failure is None:
        return {}
    rule = {"rule": failure.rule.key, "because": failure.rule.because} if failure.rule else {}
    return {"fault": failure.kind.name.lower(), **rule}
