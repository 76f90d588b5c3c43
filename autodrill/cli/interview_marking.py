"""After an interview: each answer beside the right one, with key points to tick; each rating is saved at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.questions import DeriveKey, NumericKey
from autodrill.cli.asking import Given, judges_of
from autodrill.cli.bindings import Action, Binding, find
from autodrill.cli.keyboard import ENTER, SPACE
from autodrill.cli.sitting import shuffled_options, suggested, suggestion
from autodrill.practice.interview_log import What
from autodrill.practice.interview_plan import Form
from autodrill.practice.log_records import question_card
from autodrill.render.card_screen import CardView
from autodrill.render.console import lines_for_frame
from autodrill.render.interview_screen import right_answer, title_of
from autodrill.render.watch_screen import page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping
    from datetime import datetime

    from rich.console import Console, RenderableType

    from autodrill.bank.questions import Question
    from autodrill.cli.frame import Frame
    from autodrill.cli.interview_recorder import Recorder
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.practice.interview_plan import Step
    from autodrill.practice.store import Store
    from autodrill.render.plain import Paint, Symbols

__all__ = ["Marking"]

_POLL = 0.2
_WIDEST = 100


@dataclass
class _Sheet:
    """An answer to mark.

    Attributes:
        at: The index of its step.
        step: The step.
        question: Its question.
        view: The card of the question.
        typed: The answer, as pairs of label and text.
        judged: Whether autodrill judges it.
        points: What can be ticked: each point, and whether it is needed.
        ticked: The points ticked.
    """

    at: int
    step: Step
    question: Question
    view: CardView
    typed: list[tuple[str, str]]
    judged: bool
    points: list[tuple[str, bool]]
    ticked: set[int]


class Marking:
    """Shows the answers of an interview one by one.

    Args:
        recorder: Records the ticks and the marks.
        store: The history, which takes the ratings.
        bank: The questions by id.
        keyboard: The keyboard.
        frame: The frame.
        paint: Colours text.
        symbols: The signs that the terminal can show.
        now: The time of day.
        exercises: The exercises that there are; a question can name one that does not exist yet.
    """

    def __init__(
        self,
        recorder: Recorder,
        store: Store,
        bank: Mapping[str, Question],
        keyboard: TerminalKeyboard,
        frame: Frame,
        paint: Paint,
        symbols: Symbols,
        now: Callable[[], datetime],
        exercises: Container[str],
    ) -> None:
        self._recorder = recorder
        self._store = store
        self._bank = bank
        self._keyboard = keyboard
        self._frame = frame
        self._paint = paint
        self._symbols = symbols
        self._now = now
        self._exercises = exercises
        self._page = (0, 1)

    def run(self) -> None:
        """Mark every answer that is not marked, then close the interview.

        Raises:
            KeyboardInterrupt: Ctrl-C. Every tick is on disk.
            EOFError: The terminal is gone. Every tick is on disk.
        """
        state = self._recorder.state
        for at in state.to_mark:
            if at not in state.marked and state.steps[at].id in self._bank:
                self._mark(self._sheet(at, state.steps[at]))
        self._recorder.write(What.CLOSE, why="complete")

    def _sheet(self, at: int, step: Step) -> _Sheet:
        question = self._bank[step.id]
        options = shuffled_options(question, self._recorder.interview.plan.seed)
        answer = self._recorder.state.answers[at]
        judged = bool(answer.get("of"))
        points = [(point, index < question.needed) for index, point in enumerate(question.key_points)]
        if step.form is Form.FOLLOW_UP:
            said = question.follow_ups[step.number].answer if step.number < len(question.follow_ups) else None
            points = [(said, True)] if said else []
        return _Sheet(
            at,
            step,
            question,
            CardView(question, self._symbols, options),
            [(label, text) for label, text in answer["typed"]],
            judged,
            [] if judged else points,
            set(self._recorder.state.ticked.get(at, ())),
        )

    def _mark(self, sheet: _Sheet) -> None:
        self._page = (0, 1)
        key = ""
        while True:
            keys = self._keys(len(sheet.points))
            self._draw(sheet, keys)
            self._frame.attend()
            key = self._keyboard.stroke_within(_POLL) or ""
            binding = find(keys, SPACE if key == " " else key.lower())
            match binding and binding.action:
                case Action.MORE:
                    self._page = ((self._page[0] + 1) % self._page[1], self._page[1])
                case Action.TICK:
                    self._tick(sheet, sheet.ticked ^ {int(key) - 1})
                case Action.TICK_ALL:
                    every = set(range(len(sheet.points)))
                    self._tick(sheet, set() if sheet.ticked == every else every)
                case Action.GO_ON:
                    break
        self._commit(sheet)

    def _tick(self, sheet: _Sheet, ticked: set[int]) -> None:
        sheet.ticked = ticked
        self._recorder.write(What.TICK, sheet.at, ticked=sorted(ticked))

    def _commit(self, sheet: _Sheet) -> None:
        """Save the rating, then what the answer covers. A kill between the two does not save the rating twice."""
        answer = self._recorder.state.answers[sheet.at]
        if sheet.judged:
            right, of = answer["right"], answer["of"]
            rating, _ = suggestion(right, of, "right")
        else:
            needed = [index for index, (_, wanted) in enumerate(sheet.points) if wanted]
            right, of = len(sheet.ticked.intersection(needed)), len(needed)
            rating, _ = suggested(sheet.question, Given(ticked=sheet.ticked))
        word = ""
        if sheet.step.form is Form.QUESTION:
            word = rating.word
            card, interview = question_card(sheet.question.id), self._recorder.interview.id
            if not any(review.detail.get("interview") == interview for review in self._store.reviews(card)):
                detail: dict[str, object] = {
                    "interview": interview,
                    "seconds": round(self._recorder.state.seconds.get(sheet.at, 0.0), 1),
                    "answers": [{"label": label, "text": text} for label, text in sheet.typed if text.strip()],
                }
                if sheet.judged:
                    detail["right"] = [True] * right + [False] * (of - right)
                else:
                    detail |= {"ticked": sorted(sheet.ticked), "points": len(sheet.points), "needed": of}
                    detail["missed"] = [
                        point for n, (point, wanted) in enumerate(sheet.points) if wanted and n not in sheet.ticked
                    ]
                self._store.add_review(card, rating, self._now(), detail)
        self._recorder.write(
            What.MARKED,
            sheet.at,
            right=right,
            of=of,
            points=[[point, wanted, n in sheet.ticked] for n, (point, wanted) in enumerate(sheet.points)],
            answer=right_answer(sheet.question) if sheet.judged else "",
            rating=word,
            exercises=[name for name in sheet.question.exercises if word and name in self._exercises],
        )

    def _keys(self, points: int) -> tuple[Binding, ...]:
        numbers = tuple(str(number) for number in range(1, points + 1))
        shown = f"1-{points}" if points > 1 else "1"
        page = f"page {self._page[0] + 1}/{self._page[1]}"
        return tuple(
            binding
            for binding, works in (
                (Binding(numbers, Action.TICK, shown, "I said this", ""), points > 0),
                (Binding(("a",), Action.TICK_ALL, "a", "all", ""), points > 1),
                (Binding((ENTER,), Action.GO_ON, "Enter", "next", ""), True),
                (Binding((SPACE,), Action.MORE, "Space", page, ""), self._page[1] > 1),
                (Binding((), Action.QUIT, "Ctrl-C", "later", ""), True),
            )
            if works
        )

    def _draw(self, sheet: _Sheet, keys: tuple[Binding, ...]) -> None:
        width, height = self._frame.size
        wide = min(width, _WIDEST)
        said, truth = self._lines([sheet.view.barred(*self._said(sheet))], wide), self._lines(self._truth(sheet), wide)
        points = self._points(sheet, wide) if sheet.points else []
        # Points that take most of the screen page with the rest, before the answer.
        pinned = points if len(points) <= height // 2 else []
        body = [*said, *([] if pinned else points), *truth]
        marked = self._recorder.state.to_mark
        laid = page_of(
            title_of(self._recorder.interview.plan, self._symbols),
            f"answer {marked.index(sheet.at) + 1} of {len(marked)}",
            body,
            [(key.shown, key.brief) for key in keys],
            notice="",
            paint=self._paint,
            size=(width, height),
            page=self._page[0],
            pinned=pinned,
        )
        self._page = (laid.number, laid.pages)
        self._frame.show(laid.lines)

    def _said(self, sheet: _Sheet) -> list[RenderableType]:
        """Return the question and what was typed."""
        from rich.text import Text

        lines: list[RenderableType] = [sheet.view.text(sheet.step.title, style="bold"), ""]
        typed = [(label, text) for label, text in sheet.typed if text.strip()]
        if not typed:
            return [*lines, Text("You typed nothing.", style="dim")]
        lines.append(Text("You typed", style="dim"))
        return [
            *lines,
            *(Text(f"{label} = {text}" if label and not sheet.view.options else text) for label, text in typed),
        ]

    def _truth(self, sheet: _Sheet) -> list[RenderableType]:
        """Return the verdict and the answer of a question; for a follow-up its answer is the point to tick."""
        if sheet.step.form is Form.FOLLOW_UP:
            return []
        view = sheet.view
        if not sheet.judged:
            return [view.answer()]
        if view.options:
            return [view.barred(""), view.chosen(sheet.typed[0][0] or None), view.answer()]
        judges = dict(judges_of(sheet.question))
        judged = [(label, judges[label](text)) for label, text in sheet.typed if text.strip()]
        # The verdict on a number or a formula has the right answer with it.
        key = [] if isinstance(sheet.question.key, NumericKey | DeriveKey) else view.key()
        return [view.barred(""), view.verdicts(judged), *key, view.answer()]

    def _points(self, sheet: _Sheet, width: int) -> list[str]:
        """Return what can be ticked."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid()
        table.add_column(no_wrap=True)
        table.add_column()
        for index, (point, needed) in enumerate(sheet.points):
            box = f"[{self._symbols.yes if index in sheet.ticked else ' '}] "
            label = "" if needed else "*bonus:* "
            table.add_row(Text(f"{box}{index + 1} ", style="bold"), sheet.view.text(label + point))
        heading = Text("Did you say this?", style=f"bold {sheet.view.style}")
        return self._lines([sheet.view.barred("", heading, table)], width)

    def _lines(self, parts: list[RenderableType], width: int) -> list[str]:
        def show(console: Console) -> None:
            for part in parts:
                console.print(part)

        return lines_for_frame(show, width, colour=self._paint.on)
