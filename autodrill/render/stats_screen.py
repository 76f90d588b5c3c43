"""The statistics of a learner's log as plain lines, and as a CSV table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.practice.broken_rules import WEEKS
from autodrill.practice.recall_rates import LEAST_REVIEWS
from autodrill.render.plain import clean, fit
from autodrill.render.sparkline import bar, sparkline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from autodrill.practice.recall_rates import Rate
    from autodrill.practice.study_report import StudyReport
    from autodrill.practice.workload import Passing
    from autodrill.render.plain import Paint

__all__ = ["csv_rows", "lines"]

_MOST = 3
"""How many rules, topics and exercises the screen shows."""
_BAR = 10
_DAY_LABEL = "  by day  "


def lines(report: StudyReport, paint: Paint, width: int, *, plain: bool) -> Iterator[str]:
    """Yield the lines of the screen: what to work on, then what is due and what was done.

    Args:
        report: The statistics.
        paint: Colours the headings and the command.
        width: The widest line.
        plain: Whether to draw in ASCII.
    """
    yield _head(report, paint, width, plain=plain)
    for heading, section in (
        (f"weakest rules, last {WEEKS} weeks", _rules(report, width, plain=plain)),
        ("weakest topics", _topics(report, width, plain=plain)),
        ("time from the first check to the first pass, without breaks", _passings(report, width)),
        ("cards due", _due(report)),
        ("answers and attempts", _days(report, width, plain=plain)),
    ):
        shown = list(section)
        if shown:
            yield paint(fit(heading, width), "bold")
            yield from shown
    yield ""
    yield f"next: {paint(clean(report.command), 'cyan', 'bold')}"
    yield paint("more: --topic NAME, --csv, --output-format json", "dim")


def csv_rows(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """Yield the rows of a table from the report as JSON values: table, name, measure, value.

    A list of numbers becomes one row for each number, as `exercises_by_week[0]`.
    """
    yield "table", "name", "measure", "value"
    for table in ("recall", "topics", "rules", "exercises", "due", "days"):
        found = document[table]
        for record in found if isinstance(found, list) else [found]:
            named = "name" if "name" in record else next((k for k, v in record.items() if isinstance(v, str)), "")
            for measure, value in record.items():
                if measure == named or (table == "recall" and measure == "topic"):
                    continue
                cells = {f"{measure}[{i}]": v for i, v in enumerate(value)} if isinstance(value, list) else None
                for part, cell in (cells or {measure: value}).items():
                    yield table, record.get(named, ""), part, "" if cell is None else cell


def _head(report: StudyReport, paint: Paint, width: int, *, plain: bool) -> str:
    dot = "-" if plain else "·"
    days = len(report.days)
    parts = ["stats", *([clean(report.topic)] if report.topic else []), f"{days} day{'s' if days != 1 else ''}"]
    left = f" {dot} ".join(parts)
    found = report.overall
    if found.observed is None or found.predicted is None:
        right = f"{_reviews(found.reviews)} so far, recall needs {LEAST_REVIEWS}"
    else:
        right = f"recall {found.observed:.2f}, predicted {found.predicted:.2f}, {_reviews(found.reviews)}"
    gap = max(2, min(width, 80) - len(left) - len(right))
    return f"{paint(left, 'bold')}{' ' * gap}{right}"


def _rules(report: StudyReport, width: int, *, plain: bool) -> Iterator[str]:
    shown = report.rules[:_MOST]
    if not shown:
        yield "  none was broken" if report.tried else "  no exercise is tried yet"
        return
    counts = [f"{r.exercises} of {r.tried} exercise{'s' if r.tried != 1 else ''}" for r in shown]
    named = min(max(len(r.name) for r in shown), width - 6 - max(map(len, counts)) - WEEKS)
    most = max(max(r.weeks) for r in shown)
    for rule, count in zip(shown, counts, strict=True):
        chart = sparkline(rule.weeks, plain=plain, most=most)
        yield f"  {fit(clean(rule.name), named):<{named}}  {count:>{max(map(len, counts))}}  {chart}"


def _topics(report: StudyReport, width: int, *, plain: bool) -> Iterator[str]:
    if report.topic:
        return
    shown = [each for each in report.topics if each.observed is not None][:_MOST]
    if not shown:
        yield f"  none has {LEAST_REVIEWS} reviews of known cards yet"
        return
    facts = [_rated(each, plain=plain) for each in shown]
    named = min(max(len(each.topic) for each in shown), width - 4 - max(map(len, facts)))
    for each, said in zip(shown, facts, strict=True):
        yield f"  {fit(clean(each.topic), named):<{named}}  {said}"


def _rated(found: Rate, *, plain: bool) -> str:
    assert found.observed is not None
    assert found.predicted is not None
    facts = f"{found.observed:.2f}, predicted {found.predicted:.2f}"
    return f"{facts}  {bar(found.observed, _BAR, plain=plain)}  {_reviews(found.reviews)}"


def _passings(report: StudyReport, width: int) -> Iterator[str]:
    shown = [each for each in report.passings if each.tries > 1][:_MOST]
    if not shown:
        return
    facts = [_way(each) for each in shown]
    named = min(max(len(each.exercise) for each in shown), width - 4 - max(map(len, facts)))
    for each, said in zip(shown, facts, strict=True):
        yield f"  {fit(clean(each.exercise), named):<{named}}  {said}"


def _way(passing: Passing) -> str:
    minutes = passing.seconds / 60
    time = f"{minutes:.0f} min" if minutes >= 1 else f"{passing.seconds:.0f} s"
    return f"{time:>7}  {passing.tries:>3} tries" + ("" if passing.passed else "  not passed")


def _due(report: StudyReport) -> Iterator[str]:
    due = report.due
    overdue = f" ({due.overdue} overdue)" if due.overdue else ""
    yield f"  today {due.today}{overdue}   tomorrow {due.tomorrow}   7 days {due.week}   30 days {due.month}"


def _days(report: StudyReport, width: int, *, plain: bool) -> Iterator[str]:
    most = max(count for _, count in report.days)
    facts = f"  most {most} a day, today {report.days[-1][1]}"
    shown = report.days[-(min(width, 80) - len(_DAY_LABEL) - len(facts)) :]
    yield f"{_DAY_LABEL}{sparkline([count for _, count in shown], plain=plain, most=most)}{facts}"


def _reviews(count: int) -> str:
    return f"{count} review{'s' if count != 1 else ''}"
