"""What `check` and `watch` log of a graded file, and what they tell the learner about it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from autodrill.cli.options import now, open_store
from autodrill.errors import StoreError
from autodrill.practice.log_records import exercise_card
from autodrill.practice.progress import MANY_WRONG, log_attempt
from autodrill.render.agenda_screen import in_days

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autodrill.grading.report import Report
    from autodrill.practice.log_records import Review
    from autodrill.practice.store import Store

__all__ = ["Logged", "log_report", "rating_line"]


@dataclass(frozen=True, slots=True)
class Logged:
    """A logged attempt.

    Attributes:
        review_line: The rating and when the exercise is due; empty if the attempt is not a pass.
        review: The log number of the review that the attempt added, or None.
        problem: Why the attempt is not saved; empty if it is.
    """

    review_line: str = ""
    review: int | None = None
    problem: str = ""


def log_report(report: Report, source: bytes, store: Store | None = None, saved: float | None = None) -> Logged:
    """Log an attempt and the review that follows from it.

    Args:
        report: The report.
        source: The graded file.
        store: The history, if it is open already. Opening and closing it takes longer than all else.
        saved: When the file was saved, as a POSIX timestamp.
    """
    moment = now()
    card = exercise_card(report.exercise)
    try:
        with nullcontext(store) if store else open_store() as history:
            before = history.reviews(card)[-1:]
            text = source.decode("utf-8", "replace")
            facts, at = _facts(report), None if saved is None else datetime.fromtimestamp(saved, UTC)
            due = log_attempt(history, report.exercise, report.verdict, text, report.seed, moment, facts, at)
            after = history.reviews(card)[-1:]
    except StoreError as error:  # the verdict is shown all the same
        return Logged(problem=f"attempt not saved: {error.message}")
    review = after[0].id if after and after != before else None
    if due is None:
        return Logged(review=review)
    if due <= moment and review is None:
        return Logged(
            "not rated: you saved the file before the exercise was due; "
            f"to start blank: autodrill open {report.exercise}"
        )
    return Logged(rating_line(after[0] if review is not None else None, due, moment), review)


def rating_line(review: Review | None, due: datetime, moment: datetime) -> str:
    """Say how a pass was rated, if it was, and when the exercise is due."""
    rated = f"rated {review.rating.word}{_reason(review.detail)}, " if review is not None else ""
    return f"{rated}next review {in_days(due, moment)}"


def _reason(detail: Mapping[str, Any]) -> str:
    """Say why a pass is not rated Good, unless the learner chose the rating."""
    if "replaces" in detail:
        return ""
    if detail.get("hints", 0) >= 2:
        return f" after {detail['hints']} hints"
    return f" after {detail['wrong']} wrong answers" if detail.get("wrong", 0) >= MANY_WRONG else ""


def _facts(report: Report) -> dict[str, str]:
    """Return what is kept of a report, so that the learner's common faults can be counted."""
    failure = report.failure
    if failure is None:
        return {}
    rule = {"rule": failure.rule.key, "because": failure.rule.because} if failure.rule else {}
    return {"fault": failure.kind.name.lower(), **rule}
