"""A quiz card on the screen: each part as a renderable."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from autodrill.bank.judge import Outcome, letters
from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, Difficulty, Kind, NumericKey, PredictKey
from autodrill.drills.exercise import Difficulty as Level
from autodrill.practice.log_records import Rating
from autodrill.render.plain import ASCII, in_ascii
from autodrill.render.quiz_summary import RATING_STYLE, interval
from autodrill.render.terminal_markdown import markdown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import timedelta

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.text import Text

    from autodrill.bank.judge import Judgement
    from autodrill.bank.questions import Option, Question
    from autodrill.drills.exercise import Heading
    from autodrill.render.plain import Symbols

__all__ = ["Barred", "CardView", "ExerciseView", "Part"]

DIFFICULTY_STYLE = {Difficulty.EASY: "green", Difficulty.MEDIUM: "yellow", Difficulty.HARD: "red"}
EXERCISE_STYLE = dict(zip(Level, ("green", "yellow", "red", "red"), strict=True))
_WIDEST = 100


class Part(Enum):
    """The parts of a card that a session shows only when asked."""

    MISTAKES = auto()
    MISREAD = auto()
    FOLLOW_UPS = auto()
    QUESTION = auto()
    PRACTICE = auto()
    SOURCES = auto()


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


class _Header:
    """The first line of a card. The topics are left out where they do not fit."""

    def __init__(
        self, position: str, level: tuple[str, str], facts: Sequence[str], topics: Sequence[str], between: str
    ) -> None:
        self.position = position
        self.level = level
        self.facts = facts
        self.topics = topics
        self.between = between

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        name, *facts = self.facts
        line = Text(f"{self.position}{self.between}{name}{self.between}", style="dim")
        line.append(self.level[0], style=f"not dim bold {self.level[1]}")
        line.append("".join(self.between + fact for fact in facts))
        topics = self.between + ", ".join(self.topics)
        if line.cell_len + len(topics) <= options.max_width:
            line.append(topics)
        yield line


class CardView:
    """The parts of one question's card, in the order they are shown.

    Args:
        question: The question.
        symbols: The signs that the screen can show; with `ASCII` all texts are spelled in ASCII.
        options: The options of a choice question, in the order shown.
        missed: The needed key points that were missed last time, which is why the card is asked again.
    """

    def __init__(
        self, question: Question, symbols: Symbols, options: Sequence[Option] = (), missed: Collection[int] = ()
    ) -> None:
        self.question = question
        self.symbols = symbols
        self.options = tuple(options)
        self.missed = frozenset(missed)
        self.style = DIFFICULTY_STYLE[question.difficulty]

    def barred(self, *parts: RenderableType) -> Barred:
        """Return the parts one below the other, with the card's bar."""
        from rich.console import Group

        return Barred(Group(*parts), self.symbols.bar, self.style)

    def text(self, text: str, *, style: str = "none", numbered: bool = False) -> RenderableType:
        """Return Markdown in the characters that the screen can show."""
        return markdown(in_ascii(text) if self.symbols is ASCII else text, style=style, numbered=numbered)

    def front(self, position: int, total: int) -> Barred:
        """Return the header and the whole question."""
        below = [part for parts in (self._body(), self._choices()) for part in ("", *parts) if parts]
        return self.barred(self._header(position, total), "", self._title(), *below)

    def heading(self, position: int, total: int) -> Barred:
        """Return the header and the title, which stay on the screen while the card is answered."""
        return self.barred(self._header(position, total), self._title())

    def body(self) -> list[Barred]:
        """Return what the question says below its title; no part if it says nothing."""
        return [self.barred("", *parts)] if (parts := self._body()) else []

    def reminder(self) -> list[Barred]:
        """Return the line that tells how many points were missed last time; no part if none was."""
        from rich.text import Text

        if not self.missed:
            return []
        count = len(self.missed)
        begin = "Begin with it." if count == 1 else "Begin with them."
        text = f"Last time you missed {count} of the {self.question.needed} points you need. {begin}"
        return [self.barred("", Text(text, style="yellow"))]

    def choices(self) -> list[Barred]:
        """Return the lettered options; no part if the question has none."""
        return [self.barred("", *parts)] if (parts := self._choices()) else []

    def verdicts(self, judged: Sequence[tuple[str, Judgement]]) -> Barred:
        """Return the judgement of each typed answer, with its label, and the right answers that were not given."""
        from rich.text import Text

        lines: list[RenderableType] = []
        right = dict(self.question.key.answers) if isinstance(self.question.key, NumericKey | DeriveKey) else {}
        for label, judgement in judged:
            good = judgement.outcome is Outcome.RIGHT
            line = Text(f"{self.symbols.yes if good else self.symbols.no} {judgement.outcome}")
            line.stylize("bold green" if good else "bold red")
            said = (f"{label}: " if label else "") + judgement.remark.replace("`", "")
            answer = right.pop(label, "")
            line.append(f"  {said}" + (f"; right: {answer}" if answer and not good else ""), style="not bold default")
            lines.append(line)
        for label, answer in right.items():
            line = Text(f"{self.symbols.no} missing", style="bold red")
            lines.append(line.append(f"  {label}; right: {answer}", style="not bold default"))
        return self.barred(*lines)

    def chosen(self, letter: str | None) -> Barred:
        """Return the option that the learner chose, if any, with its explanation, and the right one."""
        shown = []
        for mark, option in zip(self._letters(), self.options, strict=True):
            if option.right or mark == letter:
                sign, word = (self.symbols.yes, "right") if option.right else (self.symbols.no, "wrong")
                colour = "bold green" if option.right else "bold red"
                text = _explained(option) if mark == letter else option.text
                shown.append((mark != letter, f"{sign} {word}  {mark} ", colour, text))
        rows = [self._rows([(label, text)], colour) for _, label, colour, text in sorted(shown)]
        return self.barred(*rows)

    def key(self) -> list[Barred]:
        """Return the key of a question that is answered by typing; no part for another kind."""
        match self.question.key:
            case None | ChoiceKey():
                return []
            case NumericKey() | DeriveKey():
                return [self.barred(*self._key()[1:])]
            case _:
                return [self.barred("", *self._key())]

    def answer(self) -> Barred:
        """Return the answer in words."""
        return self.barred("", self.text(self.question.answer))

    def back(self) -> Barred:
        """Return the key and the answer in words."""
        key = [*self._key(), ""] if self.question.key else []
        return self.barred("", *key, self._heading("Answer"), self.text(self.question.answer))

    def points(self, ticked: Collection[int] | None, *, headed: bool = False) -> Barred:
        """Return the key points, the needed ones first. With `ticked`, each has a box to tick."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid()
        table.add_column(no_wrap=True)
        table.add_column()
        points = sorted(enumerate(self.question.key_points), key=lambda point: point[0] not in self.missed)
        for index, point in points:
            box = "" if ticked is None else f"[{self.symbols.yes if index in ticked else ' '}] "
            label = "*missed last time:* " if index in self.missed else ""
            label = label if index < self.question.needed else "*bonus:* "
            table.add_row(Text(f"{box}{index + 1} ", style="bold"), self.text(label + point))
        return self.barred("", *([self._heading("Key points")] if headed else []), table)

    def rest(self) -> Barred:
        """Return the common wrong answers, widespread errors, follow-up questions and exercises."""
        parts = (Part.MISTAKES, Part.MISREAD, Part.FOLLOW_UPS, Part.PRACTICE)
        shown = [piece for part in parts if part in self.parts for piece in ("", *self._part(part))]
        return self.barred(*shown)

    @property
    def parts(self) -> dict[Part, int]:
        """The parts that this card has, each with the number of its items."""
        question = self.question
        counts = {
            Part.MISTAKES: len(question.wrong_answers),
            Part.MISREAD: len(question.commonly_read),
            Part.FOLLOW_UPS: len(question.follow_ups),
            Part.QUESTION: bool(question.body) + len(self.options),
            Part.PRACTICE: len(question.exercises),
            Part.SOURCES: 1,
        }
        return {part: count for part, count in counts.items() if count}

    def part(self, part: Part) -> Barred:
        """Return one part of the card, with its heading."""
        return self.barred("", *self._part(part))

    def _part(self, part: Part) -> list[RenderableType]:
        question = self.question
        match part:
            case Part.MISTAKES:
                return [self._heading("Common wrong answers"), self._list(question.wrong_answers)]
            case Part.MISREAD:
                shown: list[RenderableType] = []
                for read in question.commonly_read:
                    shown += ["", self._heading("You will often read"), self.text(read.claim)]
                    shown += [self._heading("In fact"), self.text(read.fact)]
                return shown[1:]
            case Part.FOLLOW_UPS:
                arrow = f" {self.symbols.arrow} "
                asked = [f.question + (arrow + f.answer if f.answer else "") for f in question.follow_ups]
                return [self._heading("Follow-ups"), self._list(asked)]
            case Part.QUESTION:
                options = self._key() if self.options else []
                return [self._heading("The question"), *self._body(), *options]
            case Part.PRACTICE:
                commands = ", ".join(f"`autodrill open {exercise}`" for exercise in question.exercises)
                return [self._heading("Practise it"), self.text(commands)]
            case Part.SOURCES:
                return self._sources()

    def _sources(self) -> list[RenderableType]:
        question = self.question
        place = f"`{question.path.name}`, line {question.line}"
        shown = [self._heading("Sources"), self.text(f"{place}; topics: {', '.join(question.topics)}")]
        for proof in question.proofs:
            shown += ["", self._heading("This program proves the answer"), self.text(f"````python\n{proof.code}````")]
        return shown

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
        return self.barred(_Side(row, _reason(suggested, why)))

    def suggested(self, rating: Rating, why: str) -> Barred:
        """Return the line that names the suggested rating and its reason."""
        return self.barred(_reason(rating, why))

    def _title(self) -> RenderableType:
        return self.text(self.question.title, style="bold")

    def _body(self) -> list[RenderableType]:
        question = self.question
        shown = [self.text(question.body, numbered=question.kind is Kind.BUG)] if question.body else []
        if isinstance(question.key, DeriveKey):
            names = ", ".join(f"`{name}`" for name in question.key.variables)
            shown += [*([""] if shown else []), self.text(f"Answer in terms of {names}.")]
        return shown

    def _choices(self) -> list[RenderableType]:
        rows = [(f"{letter} ", option.text) for letter, option in zip(self._letters(), self.options, strict=True)]
        return [self._rows(rows, "bold cyan")] if rows else []

    def _header(self, position: int, total: int) -> RenderableType:
        question = self.question
        facts = (question.id, str(question.kind), f"{question.minutes:g} min")
        level = (str(question.difficulty), self.style)
        return _Header(f"{position}/{total}", level, facts, question.topics, f" {self.symbols.dot} ")

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
                return [self._heading("Options"), self._rows(rows, "bold")]
            case NumericKey(answers=answers) | DeriveKey(answers=answers):
                rows = [(f"{label} = ", f"`{answer}`") for label, answer in answers.items()]
                return [self._heading("Right answer"), self._rows(rows, "bold green")]
            case PredictKey(output=output):
                return [self._heading("It prints"), self.text(f"````text\n{output.strip()}\n````")]
            case BugKey() as key:
                wrong = key.program.code.splitlines()[key.line - 1]
                diff = f"````diff\n-{wrong}\n+{key.fix}\n````"
                return [self._heading(f"Line {key.line}"), self.text(diff)]
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
    """The card of an exercise in the quiz, with the commands to type.

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
        title = f"Now code: {exercise.title}"
        if self.symbols is ASCII:
            title = in_ascii(title)
        # A line for each command, so that none is broken.
        commands = Text("\n".join(f"  autodrill {verb} {exercise.id}" for verb in ("open", "check")), style="cyan")
        return Barred(Group(header, "", Text(title, style="bold"), "", commands), self.symbols.bar, style)


class _Side:
    """Two texts side by side, or one below the other if they do not fit."""

    def __init__(self, left: Text, right: Text) -> None:
        self.left = left
        self.right = right

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        between = "   " if self.left.cell_len + self.right.cell_len + 3 <= options.max_width else "\n"
        yield self.left.copy().append(between).append_text(self.right)


def _reason(rating: Rating, why: str) -> Text:
    from rich.text import Text

    return Text(f"{why}: {rating.word}", style="dim")


def _explained(option: Option) -> str:
    return option.text + (f" ({option.explanation})" if option.explanation else "")


def _without_trailing_blanks(line: Sequence[Any]) -> list[Any]:
    from rich.segment import Segment

    kept = list(line)
    while kept and not kept[-1].control and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept and not kept[-1].control:
        kept[-1] = Segment(kept[-1].text.rstrip(" "), kept[-1].style)
    return kept
