"""`autodrill stats`: what to work on, from the learner's log."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.options import Format, OutputFormat, now, open_store
from autodrill.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Container

    from autodrill.practice.study_report import StudyReport

__all__ = ["complete_topics", "stats"]


def complete_topics(incomplete: str) -> list[str]:
    """Return the topics that start with `incomplete`, for shell completion."""
    return sorted({topic for topic in _topics().values() if topic.startswith(incomplete)})


def stats(
    topic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Count only questions and exercises on this topic.", autocompletion=complete_topics
        ),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Write every figure as a CSV table.")] = False,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Show what to work on.

    The screen also shows what is due and what you did. Weakest rules are the rules that your attempts broke, counted by
    exercise; the bars are the last weeks. Recall is the share of reviews in which you remembered a card, next to the
    share that FSRS predicted. The first review of a card does not count, and neither does a second one on the same day.

    Examples:
      autodrill stats
      autodrill stats --topic kinks
      autodrill stats --csv > stats.csv
    """
    if csv and output_format is OutputFormat.JSON:
        raise UsageError("`--csv` and `--output-format json` are two formats", hint="leave out one of them")
    if topic is not None and topic not in (known := set(_topics().values())):
        from autodrill.drills.library import suggest

        nearest = suggest(topic, known)
        listed = None if nearest else f"use one of {', '.join(sorted(known))}"
        raise UnknownNameError("topic", topic, nearest, hint=listed)
    report = _report(topic or "")
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("stats", **report.as_json())
    elif csv:
        _write_csv(report)
    else:
        _show(report)


def _topics(exercises: "Container[str] | None" = None) -> dict[str, str]:
    """Return the topic of each card of the bank: the first topic of its question or exercise.

    Args:
        exercises: The exercises whose files are read; by default all. Few are tried, and reading all takes long.
    """
    from autodrill.bank.question_headings import question_headings
    from autodrill.drills.library import Library
    from autodrill.practice.log_records import exercise_card, prediction_card, question_card

    topics = {
        question_card(name): topic for name, heading in question_headings().items() for topic in heading.topics[:1]
    }
    for name, topic in Library.open().first_topics(exercises).items():
        topics |= {exercise_card(name): topic, prediction_card(name): topic}
    return topics


def _report(topic: str) -> "StudyReport":
    from autodrill.folders import history_file
    from autodrill.practice.schedule import WEIGHTS
    from autodrill.practice.study_report import study_report

    if not history_file(os.environ).exists():
        return study_report([], [], _topics(()), now(), topic=topic)
    with open_store() as store:
        reviews, attempts, weights = store.reviews(), store.attempts(), store.setting(WEIGHTS)
    named = {review.card.partition(":")[2] for review in reviews} | {attempt.exercise for attempt in attempts}
    return study_report(reviews, attempts, _topics(named), now(), topic=topic, weights=weights)


def _write_csv(report: "StudyReport") -> None:
    import csv
    import io

    from autodrill.render.plain import write
    from autodrill.render.stats_screen import csv_rows

    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows(csv_rows(report.as_json()))
    write(sys.stdout, table.getvalue())


def _show(report: "StudyReport") -> None:
    from autodrill.render.plain import Paint, ascii_only, clean, say, width_of
    from autodrill.render.stats_screen import lines

    if report.empty:
        say(f"nothing on `{clean(report.topic)}` is logged yet" if report.topic else "nothing is logged yet")
        say(f"next: {report.command}", err=True)
        return
    paint, width = Paint.for_stream(sys.stdout, os.environ), width_of(sys.stdout, os.environ)
    for line in lines(report, paint, width, plain=ascii_only(sys.stdout)):
        say(line)
