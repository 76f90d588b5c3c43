"""The frame of a step of an interview: the clock, the question with its pages, and what is typed below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.cli.bindings import Action, Binding
from autodrill.practice.interview_plan import Form
from autodrill.render.console import lines_for_frame
from autodrill.render.interview_screen import clock, place_of, title_of
from autodrill.render.plain import ASCII, in_ascii
from autodrill.render.watch_screen import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

    from autodrill.cli.frame import Frame
    from autodrill.cli.interview_recorder import Recorder
    from autodrill.practice.interview_plan import Step
    from autodrill.render.plain import Paint, Symbols

__all__ = ["WIDEST", "StepView"]

WIDEST = 100


class StepView:
    """Lays out the frames of an interview.

    Args:
        recorder: Has the clock and the steps.
        frame: The frame.
        paint: Colours text.
        symbols: The signs that the terminal can show.

    Attributes:
        page: The page of the question that is shown, from 0, and how many there are.
        pinned: The row of the first line below the question.
    """

    def __init__(self, recorder: Recorder, frame: Frame, paint: Paint, symbols: Symbols) -> None:
        self._recorder = recorder
        self._frame = frame
        self.paint = paint
        self.symbols = symbols
        self.page = (0, 1)
        self.pinned = 0
        self._drawn: tuple[object, list[str]] = (None, [])

    @property
    def paging(self) -> tuple[Binding, ...]:
        """The key that turns the page, if there are several."""
        number, pages = self.page
        key = Binding(("tab",), Action.MORE, "Tab", f"page {number + 1}/{pages}", "")
        return (key,) if pages > 1 else ()

    def turn(self) -> None:
        """Go to the next page, or from the last one to the first."""
        self.page = ((self.page[0] + 1) % self.page[1], self.page[1])

    def spelled(self, text: str) -> str:
        """Return a text in the characters that the terminal can show."""
        return in_ascii(text) if self.symbols is ASCII else text

    def rendered(self, at: int, parts: Sequence[RenderableType], width: int) -> list[str]:
        """Return the lines of a question, which are made once for each width."""
        if self._drawn[0] != (at, width):

            def show(console: Console) -> None:
                for part in parts:
                    console.print(part)

            self._drawn = ((at, width), lines_for_frame(show, min(width, WIDEST), colour=self.paint.on))
        return self._drawn[1]

    def show(
        self,
        at: int,
        step: Step,
        body: Sequence[str],
        keys: Sequence[Binding],
        notice: str,
        pinned: Sequence[str] = (),
    ) -> list[str]:
        """Return the lines of a frame with the clock."""
        left = self._recorder.left
        if left <= 0:
            finish = "hand in the code" if step.form is Form.EXERCISE else "finish this answer"
            notice = notice or f"Time is over: {finish}, and the interview ends."
        place = place_of(at, self._recorder.state.steps, self.symbols)
        laid = page_of(
            title_of(self._recorder.interview.plan, self.symbols),
            f"{clock(max(left, 0))} left",
            [f"  {self.paint(place, 'dim')}", "", *body],
            [(key.shown, key.brief) for key in keys],
            notice=notice,
            paint=self.paint,
            size=self._frame.size,
            page=self.page[0],
            pinned=pinned,
        )
        self.page = (laid.number, laid.pages)
        self.pinned = laid.pinned
        return laid.lines
