"""Changing and undoing the rating of a pass while `watch` runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.cli.attempt_log import Logged, rating_line
from autodrill.cli.options import now, open_store
from autodrill.practice.progress import best_rating, rate_again, undo_rating

if TYPE_CHECKING:
    from autodrill.practice.log_records import Rating, Review
    from autodrill.practice.store import Store

__all__ = ["change_rating", "undo_pass_rating"]


def change_rating(logged: Logged, rating: Rating) -> tuple[Logged | None, str]:
    """Change the rating of the last pass.

    Args:
        logged: What was logged with the pass.
        rating: The rating that the learner chooses.

    Returns:
        What is logged now, or None if nothing has changed, and what to tell the learner.
    """
    with open_store() as store:
        last = store.reviews()[-1:]
        if [review.id for review in last] != [logged.review]:
            return None, "another rating came later, so this one stays"
        (review,) = last
        best = best_rating(review.detail)
        if rating > best:
            return None, f"after {review.detail['hints']} hints the best rating is {best.word}"
        if rating is review.rating:
            return None, ""
        return _logged(
            store, rate_again(store, review, rating, now())
        ), f"{rating.word} instead of {review.rating.word}"


def undo_pass_rating(number: int) -> tuple[Logged | None, str]:
    """Undo a rating if it is the last one. A rating that it replaced holds again.

    Returns:
        What is logged now, or None if nothing has changed, and what to tell the learner.
    """
    with open_store() as store:
        if [review.id for review in store.reviews()[-1:]] != [number]:
            return None, "another rating came later, so nothing was undone"
        found = undo_rating(store, now())
        assert found is not None
        undone, again = found
        if again is not None:
            return _logged(store, again), f"the rating is {again.rating.word} again"
        return Logged(), f"the rating {undone.rating.word} is undone"


def _logged(store: Store, review: Review) -> Logged:
    from autodrill.practice.schedule import schedule_of

    state = schedule_of(store, now(), store.reviews(review.card)).state(review.card)
    assert state is not None
    return Logged(rating_line(review, state.due, now()), review.id)
