"""`autodrill tune`: fit the schedule to the learner's own log."""

from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.options import Format, OutputFormat, now, open_store
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from autodrill.practice.weight_fitting import Fit, Sequences

__all__ = ["tune"]


def tune(
    reset: Annotated[bool, typer.Option("--reset", help="Return to the default weights.")] = False,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Fit the schedule to your memory.

    The 21 weights of FSRS-6 are fitted to your ratings with autodrill's own backward pass, which takes up to a minute.
    The last quarter of the log tests the fitted weights. They are used only if they predict that quarter better than
    the default weights. The measure is the log loss: the mean of -log(probability) of what you remembered or forgot. A
    review counts if the card's review before it was on an earlier day. The fit needs 400 such reviews, 40 of them
    forgotten, and reviews on 30 days.

    Examples:
      autodrill tune
      autodrill tune --reset
    """
    from autodrill.cli.overview import history_if_any
    from autodrill.practice.schedule import WEIGHTS

    if reset:
        with open_store() as store:
            store.set(WEIGHTS, None, now())
        _say(["the schedule uses the default weights"], output_format, used=False)
        return
    with history_if_any() as history:
        reviews = history.reviews() if history else []
    from autodrill.practice.weight_fitting import LEAST_DAYS, LEAST_LAPSES, LEAST_REVIEWS, fit, sequences

    log = sequences(reviews)
    days = len({review.at.date() for review in reviews})
    enough = (
        (log.scored(), LEAST_REVIEWS, "reviews"),
        (log.lapses, LEAST_LAPSES, "forgotten"),
        (days, LEAST_DAYS, "days"),
    )
    if any(there < least for there, least, _ in enough):
        has = ", ".join(f"{there} of {least} {what}" for there, least, what in enough)
        raise UsageError(
            f"the log is too short to fit the schedule: {has}",
            hint="until then, the schedule uses the default weights",
        )
    found = fit(log)
    if found.better:
        with open_store() as store:
            store.set(WEIGHTS, list(found.weights), now())
    _say(_report(log, found), output_format, used=found.better, before=found.before, after=found.after)


def _report(log: "Sequences", found: "Fit") -> list[str]:
    outcome = "the schedule uses the fitted weights" if found.better else "the schedule stays as it is"
    return [
        f"log loss on the last {found.tested} of {log.scored()} reviews, which were not fitted:",
        f"  default weights  {found.before:.4f}",
        f"  fitted weights   {found.after:.4f}",
        outcome,
    ]


def _say(lines: list[str], output_format: OutputFormat, **facts: object) -> None:
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("tune", **facts)
        return
    from autodrill.render.plain import say

    for line in lines:
        say(line)
