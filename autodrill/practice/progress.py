"""A learner's progress with the exercises: their states, the rating of an attempt, and the next exercise."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from autodrill.practice.log_records import Rating, State, exercise_card

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from autodrill.practice.log_records import Attempt, Review
    from autodrill.practice.store import Store

__all__ = [
    "MANY_WRONG",
    "Progress",
    "best_rating",
    "hint_stage",
    "is_old_answer",
    "log_attempt",
    "log_giving_up",
    "may_see_solution",
    "next_exercise",
    "progress",
    "rate_again",
    "undo_rating",
]

_SITTING = timedelta(hours=4)
MANY_WRONG = 5


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of every attempted exercise, and the due date of every scheduled one."""

    states: dict[str, State]
    due: dict[str, datetime]

    def state(self, exercise: str) -> State:
        """Return the state of one exercise."""
        return self.states.get(exercise, State.NEW)


def progress(store: Store, now: datetime) -> Progress:
    """Return the state of every exercise, derived from the log."""
    states: dict[str, State] = {}
    for attempt in store.attempts():
        if attempt.verdict == "pass":
            states[attempt.exercise] = State.PASSED
        else:
            states.setdefault(attempt.exercise, State.TRIED)
    due: dict[str, datetime] = {}
    reviews = [r for r in store.reviews() if r.card.startswith("x:")]
    if reviews:
        from autodrill.practice.schedule import schedule_of

        schedule = schedule_of(store, now, reviews)
        for card in schedule.states():
            name = card.card.removeprefix("x:")
            due[name] = card.due
            if card.due <= now and states.get(name) is State.PASSED:
                states[name] = State.DUE
    return Progress(states, due)


def log_attempt(
    store: Store,
    exercise: str,
    verdict: str,
    source: str,
    seed: int,
    now: datetime,
    detail: Mapping[str, Any] | None = None,
    saved: datetime | None = None,
) -> datetime | None:
    """Append an attempt. A pass of a new or due card also appends a review.

    The rating is Good. It is Hard after the second hint, or after five different wrong answers in the last four hours,
    and Again after the third hint, which gives the line away. A pass before the card is due adds no review, because it
    says little about memory; neither does an old answer, which says nothing about it.

    Args:
        store: The history.
        exercise: The exercise's id.
        verdict: The verdict.
        source: The text of the submission.
        seed: The seed of the cases.
        now: The time.
        detail: Further facts about the attempt.
        saved: When the file was saved, if that is known.

    Returns:
        The next due date of a passed exercise, in UTC; None if the attempt is not a pass.

    Raises:
        StoreError: The log cannot be written.
    """
    card = exercise_card(exercise)
    earlier, tried = store.reviews(card), store.attempts(exercise)
    seen = [h for h in store.hints(exercise) if not earlier or h.at > earlier[-1].at]
    store.add_attempt(exercise, verdict, source, now, seed=seed, detail=detail)
    if verdict != "pass":
        return None
    from autodrill.practice.schedule import schedule_of

    if earlier:
        known = schedule_of(store, now, earlier).state(card)
        if known is not None and (known.due > now or is_old_answer(tried, known.due, saved)):
            return known.due
    since = max([now - _SITTING, *(review.at for review in earlier[-1:])])
    wrong = len({a.source_hash for a in tried if a.verdict == "fail" and a.at > since})
    facts = {"hints": max((h.stage for h in seen), default=0), "wrong": wrong}
    rating = min(best_rating(facts), Rating.HARD if wrong >= MANY_WRONG else Rating.GOOD)
    review = store.add_review(card, rating, now, facts)
    return schedule_of(store, now, earlier).add(review).due


def is_old_answer(tried: Sequence[Attempt], due: datetime, saved: datetime | None) -> bool:
    """Return whether a file of a passed exercise was saved before the exercise was due."""
    return saved is not None and saved < due and any(a.verdict == "pass" and a.at < due for a in tried)


def best_rating(detail: Mapping[str, Any]) -> Rating:
    """Return the best rating that a learner may have after this help: hints, or giving up."""
    stage = detail.get("hints", 0)
    if detail.get("gave_up") or stage >= 3:  # the line was shown, not remembered; in FSRS Hard means remembered
        return Rating.AGAIN
    return Rating.HARD if stage == 2 else Rating.EASY


def rate_again(store: Store, review: Review, rating: Rating, now: datetime) -> Review:
    """Replace the rating of a review, and return the new review."""
    first = review.detail.get("replaces", int(review.rating))
    return store.replace_review(review, rating, now, {**review.detail, "replaces": first})


def undo_rating(store: Store, now: datetime) -> tuple[Review, Review | None] | None:
    """Undo the last rating. If it replaced one, that one holds again.

    Returns:
        The review that is undone, and the one that holds again, or None; None if there is no review.
    """
    last = store.reviews()[-1:]
    if last and "replaces" in last[0].detail:
        detail = dict(last[0].detail)
        return last[0], store.replace_review(last[0], Rating(detail.pop("replaces")), now, detail)
    undone = store.undo_review(now)
    return (undone, None) if undone else None


def log_giving_up(store: Store, exercise: str, now: datetime) -> None:
    """Append the review Again, because the learner looked at the solution before passing."""
    store.add_review(exercise_card(exercise), Rating.AGAIN, now, {"gave_up": True})


def hint_stage(store: Store, exercise: str) -> int:
    """Return the last stage of the hints that the learner has seen since the last pass, 0 for none."""
    passed = [a.at for a in store.attempts(exercise) if a.verdict == "pass"]
    return max((h.stage for h in store.hints(exercise) if not passed or h.at > passed[-1]), default=0)


def may_see_solution(store: Store, exercise: str, now: datetime) -> bool:
    """Return whether the learner has passed an exercise or has given it up, and it is not due again."""
    from autodrill.practice.schedule import schedule_of

    reviews = store.reviews(exercise_card(exercise))
    if schedule_of(store, now, reviews).due(now):
        return False
    gave_up = any(review.detail.get("gave_up") for review in reviews)
    return gave_up or any(a.verdict == "pass" for a in store.attempts(exercise))


def next_exercise(names: Sequence[str], known: Progress) -> str | None:
    """Return the exercise that has been due longest, else the first not passed, else None."""
    due = sorted((known.due[n], n) for n in names if known.state(n) is State.DUE)
    if due:
        return due[0][1]
    return next((n for n in names if known.state(n) in (State.NEW, State.TRIED)), None)
