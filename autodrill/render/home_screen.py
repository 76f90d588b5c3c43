"""The first screen, as plain lines: progress, what is due, and the next thing to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.practice.log_records import kind_of
from autodrill.render.agenda_screen import above_limit, in_hours, overdue
from autodrill.render.plain import ASCII, counted, fit

if TYPE_CHECKING:
    from datetime import datetime

    from autodrill.practice.agenda import Agenda, CardHeading
    from autodrill.practice.next_step import NextStep
    from autodrill.render.plain import Paint, Symbols

__all__ = ["Home", "home_lines", "nothing_left", "step_line"]

_BAR = 14
_LABEL = 15


@dataclass(frozen=True, slots=True)
class Home:
    """What the first screen shows.

    Attributes:
        agenda: What is due, and when.
        days: On how many days the learner practised.
        streak: On how many days in a row.
        exercises: How many are passed, how many there are, and how many are due.
        questions: How many were rated, how many there are, and how many are due.
        predictions: How many are due.
        path: The name of the chosen path, the steps that are done, all steps, and the minutes left; None without one.
        next: The next thing to do with its heading, or None.
    """

    agenda: Agenda
    days: int
    streak: int
    exercises: tuple[int, int, int]
    questions: tuple[int, int, int]
    predictions: int
    path: tuple[str, int, int, float] | None
    next: tuple[NextStep, CardHeading] | None


def home_lines(home: Home, paint: Paint, symbols: Symbols, width: int) -> list[str]:
    """Return the lines of the first screen."""
    facts = [f"day {home.days}"] if home.days else []
    facts += [f"streak {home.streak}"] if home.streak > 1 else []
    facts += [f"{len(home.agenda.due)} due"] if home.days else []
    right = f" {symbols.dot} ".join(facts) or "practise autodiff and backprop"
    lines = [paint("autodrill", "bold") + " " * max(width - len("autodrill") - len(right), 2) + right, ""]
    rows = []
    if home.path:
        name, done, steps, minutes = home.path
        full = done * _BAR // steps if steps else _BAR
        bar = "#" * full + "." * (_BAR - full) if symbols is ASCII else "█" * full + "░" * (_BAR - full)
        left = f"about {in_hours(minutes)} left" if done < steps else "done"
        wide = _LABEL + len(f"{name}  {bar}  {done} of {steps}   {left}") <= width
        shown = f"{paint(bar, 'green')}  " if wide else ""
        rows.append(("path", [f"{name}  {shown}{done} of {steps}", left]))
    passed, drills, again = home.exercises
    rows.append(("exercises", [f"{passed} of {drills} passed", *([f"{again} due again"] if again else [])]))
    seen, asked, waiting = home.questions
    rows.append(("questions", [f"{seen} of {asked} seen", *([f"{waiting} due"] if waiting else [])]))
    if home.predictions:
        rows.append(("predictions", [f"{home.predictions} due"]))
    lines += [f"{f'  {label}':<{_LABEL}}{'   '.join(parts)}" for label, parts in rows]
    if home.agenda.above:
        lines.append(f"  {above_limit(home.agenda)}")
    lines.append("")
    if home.next is None:
        return [*lines, f"  {nothing_left(home.agenda)}", ""]
    step, heading = home.next
    about = _facts(step, heading, home.agenda.now, symbols)
    name, start = paint(heading.id, "cyan", "bold"), f"{'  next':<{_LABEL}}"
    fits = _LABEL + len(heading.id) + 3 + len(about) <= width
    lines += [f"{start}{name}   {about}"] if fits else [f"{start}{name}", " " * _LABEL + about]
    return [*lines, paint(fit(" " * _LABEL + heading.title, width), "dim"), ""]


def step_line(step: NextStep, heading: CardHeading, now: datetime, paint: Paint, symbols: Symbols) -> str:
    """Return the line about the next thing to do."""
    return f"{paint(heading.id, 'cyan', 'bold')}   {_facts(step, heading, now, symbols)}"


def _facts(step: NextStep, heading: CardHeading, now: datetime, symbols: Symbols) -> str:
    why = overdue(step.due, now) if step.due else f"on your path {step.path}" if step.path else "new"
    return f" {symbols.dot} ".join([kind_of(step.card), f"{heading.minutes:g} min", why])


def nothing_left(agenda: Agenda) -> str:
    """Say that there is nothing to do now, and when there will be."""
    if agenda.above:
        return f"done for today; {above_limit(agenda)}"
    ahead = min(agenda.later, default=None)
    done = "done for today: your limit of new cards is reached" if agenda.limits.new_left == 0 else "nothing is left"
    if ahead is None:
        return done
    days = (ahead - agenda.now.date()).days
    when = "later today" if days == 0 else "tomorrow" if days == 1 else f"in {days} days"
    return f"{done}; next {when}: {counted(len(agenda.later[ahead]), 'card')}"
