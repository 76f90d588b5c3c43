"""One question at the keyboard: the learner thinks, chooses or types, and the answer is judged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from autodrill.bank.judge import (
    Outcome,
    judge_choice,
    judge_formula,
    judge_line,
    judge_number,
    judge_output,
)
from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, NumericKey, PredictKey
from autodrill.cli import bindings
from autodrill.cli.bindings import Action
from autodrill.cli.keyboard import CHANGED, MOVES
from autodrill.render.card_screen import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType

    from autodrill.bank.judge import Judgement
    from autodrill.bank.questions import Option, Question
    from autodrill.cli.bindings import Binding
    from autodrill.cli.keyboard import Keyboard
    from autodrill.cli.screen import Screen
    from autodrill.render.card_frame import Frame
    from autodrill.render.card_screen import CardView

__all__ = ["Asker", "CardLeftError", "Given", "judges_of"]


class CardLeftError(Exception):
    """The learner leaves the card without a rating: skip, undo or quit."""

    def __init__(self, action: Action) -> None:
        self.action = action


@dataclass
class Given:
    """The learner's answers on the current card so far."""

    typed: list[tuple[str, str]] = field(default_factory=list)
    judged: list[tuple[str, Judgement]] = field(default_factory=list)
    ticked: set[int] = field(default_factory=set)

    @property
    def right(self) -> int:
        """How many labels have a right answer; a label without an answer counts as wrong."""
        return sum(judgement.outcome is Outcome.RIGHT for _, judgement in self.judged)


class Asker:
    """Asks questions.

    Args:
        keyboard: The source of keys and lines.
        screen: Shows the cards.
        may_undo: Returns whether there is a rating to undo.
    """

    def __init__(self, keyboard: Keyboard, screen: Screen, may_undo: Callable[[], bool]) -> None:
        self._keyboard = keyboard
        self._screen = screen
        self._may_undo = may_undo
        self._open: Part | Action | None = None
        self._places: dict[object, int] = {}

    def ask(
        self,
        question: Question,
        options: Sequence[Option],
        frame: Frame,
        given: Given,
        keys: tuple[Binding, ...] | None = None,
    ) -> None:
        """Show a question and wait until the learner reveals the answer, chooses an option or types an answer.

        Args:
            question: The question.
            options: Its options in the order shown.
            frame: Its card.
            given: Receives the typed answers and their judgements.
            keys: The key bindings; by default those of the question's kind.

        Raises:
            CardLeftError: The learner skips, undoes or quits.
        """
        if keys is None:
            keys = bindings.asking(options=len(options), typed=not isinstance(question.key, ChoiceKey | None))
        self._screen.begin()
        self.turn_page()
        binding, key = self.press(keys, frame)
        match binding.action:
            case Action.CHOOSE:
                given.typed.append(("", key))
                given.judged.append(("", judge_choice(key, options)))
            case Action.TYPE if question.key is None:
                self._prompt(frame, 1)
                text = self._keyboard.line(f"{self._screen.symbols.bar} ")
                if text.strip():
                    given.typed.append(("", text))
            case Action.TYPE:
                self._type(question, frame, given)

    def turn_page(self) -> None:
        """Begin a new text: close what is open, and go to the first page."""
        self._open = None
        self._places = {}

    def press(self, keys: tuple[Binding, ...], frame: Frame, view: CardView | None = None) -> tuple[Binding, str]:
        """Show a frame with the key bar and wait for one of its keys.

        The keys of every stage act here: pages, parts, help, skip, undo, quit.

        Args:
            keys: The keys of the stage.
            frame: The card.
            view: Has the parts that the card can open.
        """
        # With nothing to undo, the key bar does not offer `u`.
        keys = tuple(binding for binding in keys if self._may_undo() or binding.action is not Action.UNDO)
        while True:
            place = self._places.get(self._open, 0)
            shown, working = self._screen.draw(replace(frame, opened=self._opened(keys, view)), keys, place)
            key = self._keyboard.key()
            while (binding := bindings.find(working, key)) is None and key in MOVES:
                key = self._keyboard.key()
            match binding and binding.action:
                case Action.LATER:
                    self._places[self._open] = shown.later or 0
                case Action.EARLIER:
                    self._places[self._open] = shown.earlier or 0
                case Action.OPEN | Action.HELP:
                    assert binding is not None
                    wanted = binding.part or Action.HELP
                    self._open = None if self._open is wanted else wanted
                case (Action.SKIP | Action.QUIT | Action.UNDO) as action:
                    raise CardLeftError(action)
                case None if key != CHANGED:
                    self._screen.note(f"`{key}` does nothing here; press ? for a list of the keys")
                case None:
                    pass
                case _:
                    assert binding is not None
                    if self._open is Action.HELP:
                        self._open = None
                    return binding, key

    def _opened(self, keys: Sequence[Binding], view: CardView | None) -> RenderableType | None:
        if self._open is Action.HELP:
            return self._screen.key_help(keys)
        if isinstance(self._open, Part) and view is not None:
            return view.part(self._open)
        return None

    def _prompt(self, frame: Frame, rows: int) -> None:
        self._screen.draw_for_typing(frame, rows, self._places.get(None, 0))

    def _type(self, question: Question, frame: Frame, given: Given) -> None:
        """Read one line for each label. An empty line leaves the rest unanswered; an unreadable line is asked again."""
        judges = judges_of(question)
        self._prompt(frame, len(judges))
        for label, judge in judges:
            while True:
                shown = f"{label} = " if label else "> "
                typed = self._keyboard.line(f"{self._screen.symbols.bar} {self._screen.spelled(shown)}")
                if not typed.strip():
                    return
                judgement = judge(typed)
                if judgement.outcome is not Outcome.UNREADABLE:
                    break
                self._screen.show(self._screen.remark(judgement.remark))
            given.typed.append((label, typed))
            given.judged.append((label, judgement))


def judges_of(question: Question) -> list[tuple[str, Callable[[str], Judgement]]]:
    """Return each label of a typed answer with the function that judges a line of text."""
    match question.key:
        case NumericKey() as key:
            return [
                (label, partial(judge_number, want=want, tolerance=key.tolerance, others=key.values))
                for label, want in key.values.items()
            ]
        case DeriveKey() as key:
            return [
                (label, partial(judge_formula, want=want, variables=key.variables))
                for label, want in key.answers.items()
            ]
        case PredictKey() as key:
            return [("", partial(judge_output, key=key))]
        case BugKey() as key:
            return [("line", partial(judge_line, key=key))]
        case _:
            return []
