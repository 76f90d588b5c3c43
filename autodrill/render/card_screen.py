"""A quiz card on the screen: each part as a renderable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.bank.judge import Outcome, letters
from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, Difficulty, Kind, NumericKey, PredictKey
from autodrill.drills.exercise import Difficulty as Level
from autodrill.practice.log_records import Rating
from autodrill.render.plain import ASCII, in_ascii
from autodrill.render.terminal_markdown import markdown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime, timedelta

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from autodrill.bank.judge import Judgement
    from autodrill.bank.questions import Option, Question
    from autodrill.drills.exercise import Heading
    from autodrill.practice.schedule import Schedule
    from autodrill.render.plain import Symbols

__all__ = ["Barred", "CardView", "ExerciseView", "interval", "next_due", "nothing_due", "summary"]

DIFFICULTY_STYLE = {Difficulty.EASY: "green", Difficulty.MEDIUM: "yellow", Difficulty.HARD: "red"}
EXERCISE_STYLE = dict(zip(Level, ("green", "yellow", "red", "red"), strict=True))
RATING_STYLE = {Rating.AGAIN: "red", Rating.HARD: "yellow", Rating.GOOD: "green", Rating.EASY: "cyan"}
_WIDEST = 100

_DAY, _MONTH, _YEAR = 24.0, 30.44 * 24, 365.25 * 24
# Word, abbreviation, length in hours, and the wait in hours at which the next unit takes over.
_UNITS = (
    ("hour", "h", 1.0, _DAY),
    ("day", "d", _DAY, 60 * _DAY),
    ("month", "mo", _MONTH, _YEAR),
    ("year", "y", _YEAR, float("inf")),
)


class Barred:
    """A renderable with a coloured bar on its left side and no trailing blanks."""

    def __init__(self, inner: RenderableType, bar: str, style: str) -> None:
        self.inner = inner
        self.bar = bar
        self.style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the inner part two columns narrower, with the bar before each line."""
        from rich.segment import Segment

        width = min(options.max_width, _WIDEST) - 2
        bar = Segment(self.bar, console.get_style(self.style))
        for line in console.render_lines(self.inner, options.update(width=width, height=None), pad=False):
            yield bar
            yield from _without_trailing_blanks([Segment(" "), *line])
            yield Segment.line()


class CardView:
    """The parts of one question's card, in the order they are shown.

    Args:
        question: The question.
        symbols: The signs that the screen can show; with `ASCII` all texts are spelled in ASCII.
        options: The options of a choice question, in the order shown.
    """

    def __init__(self, question: Question, symbols: Symbols, options: Sequence[Option] = ()) -> None:
        self.question = question
        self.symbols = symbols
        self.options = tuple(options)
        self.style = DIFFICULTY_STYLE[question.difficulty]

    def barred(self, *parts: RenderableType) -> Barred:
        """Return the parts one below the other, with the card's bar."""
        from rich.console import Group

        return Barred(Group(*parts), self.symbols.bar, self.style)

    def text(self, text: str, *, style: str = "none", numbered: bool = False) -> RenderableType:
        """Return Markdown in the characters that the screen can show."""
        return markdown(in_ascii(text) if self.symbols is ASCII else text, style=style, numbered=numbered)

    def front(self, position: int, total: int) -> Barred:
        """Return the header and the question."""
        question = self.question
        parts: list[RenderableType] = [self._header(position, total), "", self.text(question.title, style="bold")]
        if question.body:
            parts += ["", self.text(question.body, numbered=question.kind is Kind.BUG)]
        if self.options:
            rows = [(f"{letter} ", option.text) for letter, option in zip(self._letters(), self.options, strict=True)]
            parts += ["", self._rows(rows, "bold cyan")]
        if isinstance(question.key, DeriveKey):
            parts += [
                "",
                self.text("Answer in terms of " + ", ".join(f"`{name}`" for name in question.key.variables) + "."),
            ]
        return self.barred(*parts)

    def verdicts(self, judged: Sequence[tuple[str, Judgement]]) -> Barred:
        """Return the judgement of each typed answer, with its label."""
        from rich.text import Text

        lines: list[RenderableType] = [""]
        for label, judgement in judged:
            right = judgement.outcome is Outcome.RIGHT
            sign = self.symbols.yes if right else self.symbols.no
            line = Text(f"{sign} {judgement.outcome}", style="bold green" if right else "bold red")
            line.append(
                "  " + (f"{label}: " if label else "") + judgement.remark.replace("`", ""), style="not bold default"
            )
            lines.append(line)
        return self.barred(*lines)

    def back(self) -> Barred:
        """Return the key and the answer in words."""
        return self.barred("", *self._key(), self._heading("Answer"), self.text(self.question.answer))

    def points(self, ticked: Collection[int] | None) -> Barred:
        """Return the key points. With `ticked`, each has a box to tick."""
        rows = []
        for index, point in enumerate(self.question.key_points):
            box = "" if ticked is None else f"[{self.symbols.yes if index in ticked else ' '}] "
            rows.append((f"{box}{index + 1} ", point))
        question = "" if ticked is None else ": which did you make?"
        return self.barred("", self._heading(f"Key points{question}"), self._rows(rows, "bold"))

    def rest(self) -> Barred:
        """Return the common wrong answers, widespread errors, follow-up questions and exercises."""
        question = self.question
        parts = ["", self._heading("Common wrong answers"), self._list(question.wrong_answers)]
        for read in question.commonly_read:
            parts += ["", self._heading("You will often read"), self.text(read.claim)]
            parts += [self._heading("In fact"), self.text(read.fact)]
        parts += ["", self._heading("Follow-ups")]
        arrow = f" {self.symbols.arrow} "
        parts.append(self._list([f.question + (arrow + f.answer if f.answer else "") for f in question.follow_ups]))
        if question.exercises:
            commands = ", ".join(f"`autodrill check {exercise}`" for exercise in question.exercises)
            parts += ["", self._heading("Practise it"), self.text(commands)]
        return self.barred(*parts)

    def ratings(self, intervals: Mapping[Rating, timedelta], suggested: Rating, why: str) -> Barred:
        """Return the four ratings, each with its interval if the card is scheduled, and the suggested one."""
        from rich.text import Text

        row = Text()
        for rating in Rating:
            row.append("  " if row else "")
            emphasis = "bold " if rating is suggested else ""
            row.append(f"{rating.value} {rating.word}", style=emphasis + RATING_STYLE[rating])
            if rating in intervals:
                row.append(f" {interval(intervals[rating], brief=True)}", style="dim")
        reason = Text(f"suggested: {suggested.value} {suggested.word}, {why}", style="dim")
        return self.barred("", self._heading("How well did it go?"), row, reason)

    def _header(self, position: int, total: int) -> RenderableType:
        from rich.text import Text

        question = self.question
        between = f" {self.symbols.dot} "
        minutes = f"{question.minutes:g} min"
        header = Text(f"{position}/{total}{between}", style="dim")
        header.append(str(question.difficulty), style=f"not dim bold {self.style}")
        header.append(between + between.join((str(question.kind), minutes, ", ".join(question.topics))))
        return header

    def _key(self) -> list[RenderableType]:
        match self.question.key:
            case ChoiceKey():
                rows = [
                    (
                        f"{self.symbols.yes if option.right else ' '} {letter} ",
                        option.explanation or ("right" if option.right else ""),
                    )
                    for letter, option in zip(self._letters(), self.options, strict=True)
                ]
                return [self._heading("Options"), self._rows(rows, "bold"), ""]
            case NumericKey(answers=answers) | DeriveKey(answers=answers):
                rows = [(f"{label} = ", f"`{answer}`") for label, answer in answers.items()]
                return [self._heading("Right answer"), self._rows(rows, "bold green"), ""]
            case PredictKey(output=output):
                return [self._heading("It prints"), self.text(f"````text\n{output.strip()}\n````"), ""]
            case BugKey() as key:
                wrong = key.program.code.splitlines()[key.line - 1]
                diff = f"````diff\n-{wrong}\n+{key.fix}\n````"
                return [self._heading(f"Line {key.line}"), self.text(diff), ""]
            case None:
                return []

    def _letters(self) -> str:
        return letters(len(self.options))

    def _heading(self, text: str) -> RenderableType:
        from rich.text import Text

        return Text(text, style=f"bold {self.style}")

    def _rows(self, rows: Sequence[tuple[str, str]], style: str) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid()
        table.add_column(no_wrap=True)
        table.add_column()
        for label, text in rows:
            table.add_row(Text(in_ascii(label) if self.symbols is ASCII else label, style=style), self.text(text))
        return table

    def _list(self, items: Sequence[str]) -> RenderableType:
        return self._rows([(f"{self.symbols.dot} ", item) for item in items], "dim")


class ExerciseView:
    """The card of an exercise on a learning path, with the commands to type.

    Args:
        exercise: Its heading.
        symbols: The signs that the screen can show.
    """

    def __init__(self, exercise: Heading, symbols: Symbols) -> None:
        self.exercise = exercise
        self.symbols = symbols

    def front(self, position: int, total: int) -> Barred:
        """Return the whole card."""
        from rich.console import Group
        from rich.text import Text

        exercise = self.exercise
        style = EXERCISE_STYLE[exercise.difficulty]
        between = f" {self.symbols.dot} "
        header = Text(f"{position}/{total}{between}", style="dim")
        header.append(str(exercise.difficulty), style=f"not dim bold {style}")
        header.append(between + between.join(("exercise", f"{exercise.minutes} min", ", ".join(exercise.topics))))
        title, what = exercise.title, f"Write it: `autodrill open {exercise.id}`, then `autodrill check {exercise.id}`"
        if self.symbols is ASCII:
            title = in_ascii(title)
        return Barred(Group(header, "", Text(title, style="bold"), "", markdown(what)), self.symbols.bar, style)


def summary(rated: Mapping[Rating, int], skipped: int, left: int, next_step: str) -> RenderableType:
    """Return the summary of a session: the ratings, the cards without one, and the next step."""
    from rich.console import Group
    from rich.text import Text

    counts = Text()
    total = sum(rated.values())
    counts.append(f"{total} card{'s' if total != 1 else ''} rated", style="bold")
    for rating in Rating:
        if rated.get(rating):
            counts.append(f"  {rated[rating]} {rating.word}", style=RATING_STYLE[rating])
    for number, word in ((skipped, "skipped"), (left, "left")):
        if number:
            counts.append(f"  {number} {word}", style="dim")
    return Group(counts, Text(next_step, style="dim"))


def nothing_due(schedule: Schedule, now: datetime, excused: int = 0) -> RenderableType:
    """Return the text of a session without cards. A placement found that `excused` questions can be skipped."""
    from rich.console import Group
    from rich.text import Text

    what = "cards that are not due yet" + (f" and the {excused} that your placement skipped" if excused else "")
    more = Text(f"autodrill quiz --ahead asks {what}", style="dim")
    return Group(
        Text("There is no card to ask, because none is due and none is new.", style="bold"),
        Text(next_due(schedule, now)),
        more,
    )


def next_due(schedule: Schedule, now: datetime) -> str:
    """Say how many cards are due now, or when the next one is due."""
    due = len(schedule.due(now))
    if due:
        return f"{due} card{'s are' if due != 1 else ' is'} due now: autodrill quiz"
    ahead = sorted(schedule.states(), key=lambda state: state.due)
    if not ahead:
        return "Nothing is scheduled yet."
    return f"Next due in {interval(ahead[0].due - now)}: {ahead[0].card.partition(':')[2]}"


def interval(wait: timedelta, *, brief: bool = False) -> str:
    """Return an interval in words.

    >>> from datetime import timedelta
    >>> [interval(timedelta(days=days)) for days in (1 / 8, 1, 45, 75, 550)]
    ['3 hours', '1 day', '45 days', '2.5 months', '1.5 years']
    >>> interval(timedelta(days=75), brief=True)
    '2.5 mo'
    """
    hours = max(wait.total_seconds(), 0.0) / 3600
    for word, short, length, until in _UNITS:
        number = f"{hours / length:.{0 if length <= _DAY else 1}f}".removesuffix(".0")
        if hours < until:
            return f"{number} {short}" if brief else f"{number} {word}" + ("" if number == "1" else "s")
    raise AssertionError("the last unit has no end")


def _without_trailing_blanks(line: Sequence[Any]) -> list[Any]:
    from rich.segment import Segment

    kept = list(line)
    while kept and not kept[-1].control and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept and not kept[-1].control:
        kept[-1] = Segment(kept[-1].text.rstrip(" "), kept[-1].style)
    return kept
