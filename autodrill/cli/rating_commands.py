"""`autodrill rate` and `autodrill undo`: change or take back a rating, of a question or of an exercise."""

from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.completion import complete_ids
from autodrill.cli.options import Format, OutputFormat, now, open_store
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from autodrill.practice.log_records import Review
    from autodrill.practice.store import Store

__all__ = ["rate", "undo"]


def rate(
    identity: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="A question or an exercise.", autocompletion=complete_ids, show_default=False
        ),
    ],
    rating: Annotated[str, typer.Argument(metavar="RATING", help="again, hard, good or easy.", show_default=False)],
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Change the last rating of a card.

    A card is a question or an exercise. A pass is rated Good, and only you know whether it was easy. Hints limit the
    rating: Hard after the second hint, Again after the third one. The new rating counts as if you had given it at
    first. `autodrill undo` brings the old one back.

    Example:
      autodrill rate mul_backward easy
    """
    from autodrill.practice.log_records import Rating
    from autodrill.practice.progress import best_rating, rate_again

    words = [r.word.lower() for r in Rating]
    if rating.lower() not in words:
        raise UsageError(f"`{rating}` is not a rating", hint=f"use one of {', '.join(words)}")
    chosen = Rating(words.index(rating.lower()) + 1)
    with open_store() as store:
        review = _last_of(store, identity)
        best = best_rating(review.detail)
        if chosen > best:
            why = "you gave up" if review.detail.get("gave_up") else f"you used {review.detail['hints']} hints"
            raise UsageError(f"{chosen.word} is too good: {why}", hint=f"the best rating here is {best.word.lower()}")
        after = rate_again(store, review, chosen, now())
        _say(store, after, output_format, "rate", f"{identity}: {chosen.word} instead of {review.rating.word}")


def undo(output_format: Format = OutputFormat.TEXT) -> None:
    """Take back the last rating.

    It may be the rating of a question or of an exercise. The log keeps the rating and marks it as undone. Repeat the
    command to take back the rating before it.

    Example:
      autodrill undo
    """
    from autodrill.cli.overview import history_if_any
    from autodrill.practice.log_records import CardKind, kind_of
    from autodrill.practice.progress import undo_rating

    with history_if_any() as store:
        last = store.reviews()[-1:] if store else []
        if store is None or not last:
            raise UsageError("there is no rating to undo", hint="`autodrill quiz` asks questions and rates them")
        if any(last[0].id in placement.reviews for placement in store.placements()):
            raise UsageError(
                "the last rating belongs to your placement", hint="`autodrill quiz --placement --undo` undoes all of it"
            )
        found = undo_rating(store, now())
        assert found is not None
        undone, again = found
        name = undone.card.partition(":")[2]
        name = f"prediction of {name}" if kind_of(undone.card) is CardKind.PREDICTION else name
        said = f"{name}: {undone.rating.word} of {undone.at.astimezone():%Y-%m-%d %H:%M} undone"
        back = f"; the rating before it, {again.rating.word}, counts now" if again else ""
        _say(store, undone, output_format, "undo", said + back)


def _last_of(store: "Store", identity: str) -> "Review":
    """Return the last review of a card that is named by its id.

    Raises:
        UnknownNameError: There is no such card.
        UsageError: It has no rating.
    """
    from autodrill.cli.overview import refuse_unknown
    from autodrill.practice.log_records import exercise_card, question_card

    found = store.reviews(question_card(identity)) or store.reviews(exercise_card(identity))
    if not found:
        refuse_unknown(identity)
        raise UsageError(f"`{identity}` has no rating yet", hint="`autodrill history` lists your ratings")
    return found[-1]


def _say(store: "Store", review: "Review", output_format: OutputFormat, command: str, said: str) -> None:
    """Say what was done, and when the card is due now."""
    from autodrill.practice.schedule import schedule_of
    from autodrill.render.agenda_screen import in_days
    from autodrill.render.plain import clean, say

    reviews = store.reviews(review.card)
    state = schedule_of(store, now(), reviews).state(review.card)
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        rating = reviews[-1].rating.word.lower() if reviews else None
        due = state.due.isoformat() if state else None
        write_document(command, id=review.card.partition(":")[2], rating=rating, due=due)
        return
    say(clean(said))
    say(f"next review {in_days(state.due, now().astimezone())}" if state else "it is not scheduled now", err=True)
