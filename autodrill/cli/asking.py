"""One question at the keyboard: the learner thinks, chooses or types, and the answer is judged."""

from __future__ import annotations

from dataclasses import dataclass, field
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

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.bank.judge import Judgement
    from autodrill.bank.questions import Option, Question
    from autodrill.cli.bindings import Binding
    from autodrill.cli.keyboard import Keyboard
    from autodrill.cli.screen import Screen
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

    def ask(
        self,
        question: Question,
        options: Sequence[Option],
        view: CardView,
        given: Given,
        keys: tuple[Binding, ...] | None = None,
    ) -> None:
        """Wait until the learner reveals the answer, chooses an option or types an answer.

        Args:
            question: The question, which is already on the screen.
            options: Its options in the order shown.
            view: Its card.
            given: Receives the typed answers and their judgements.
            keys: The key bindings; by default those of the question's kind.

        Raises:
            CardLeftError: The learner skips, undoes or quits.
        """
        if keys is None:
            keys = bindings.asking(options=len(options), typed=not isinstance(question.key, ChoiceKey | None))
        while True:
            binding, key = self.press(keys)
            match binding.action:
                case Action.REVEAL:
                    return
                case Action.CHOOSE:
                    given.typed.append(("", key))
                    given.judged.append(("", judge_choice(key, options)))
                    return
                case Action.TYPE if question.key is None:
                    text = self._keyboard.line(f"{self._screen.symbols.bar} ")
                    if text.strip():
                        given.typed.append(("", text))
                    return
                case Action.TYPE:
                    self._type(question, view, given)
                    return

    def _type(self, question: Question, view: CardView, given: Given) -> None:
        """Read one line for each label. An empty line leaves the rest unanswered; an unreadable line is asked again."""
        for label, judge in judges_of(question):
            while True:
                shown = f"{label} = " if label else "> "
                typed = self._keyboard.line(f"{self._screen.symbols.bar} {self._screen.spelled(shown)}")
                if not typed.strip():
                    return
                judgement = judge(typed)
                if judgement.outcome is not Outcome.UNREADABLE:
                    break
                self._screen.show(view.barred(self._screen.remark(judgement.remark)))
            given.typed.append((label, typed))
            given.judged.append((label, judgement))

    def press(self, keys: tuple[Binding, ...]) -> tuple[Binding, str]:
        """Show the key bar and wait for one of its keys. The keys of every stage (help, skip, undo, quit) act here."""
        # With nothing to undo, the key bar does not offer `u`.
        keys = tuple(binding for binding in keys if self._may_undo() or binding.action is not Action.UNDO)
        while True:
            with self._screen.key_bar(keys):
                key = self._keyboard.key()
            binding = bindings.find(keys, key)
            match binding and binding.action:
                case Action.HELP:
                    self._screen.key_help(keys)
                case (Action.SKIP | Action.QUIT | Action.UNDO) as action:
                    raise CardLeftError(action)
                case None:
                    self._screen.note(f"`{key}` does nothing here; press ? for a list of the keys")
                case _:
                    assert binding is not None
                    return binding, key


def judges_of(question: Question) -> list[tuple[str, Callable[[str], Judgement]]]:
    """Return each label of a typed answer with the function that judges a line of text."""
    match question.key:
        case NumericKey() as key:
            return [
                (label, partial(judge_number, want=want, tolerance=key.tolerance)) for label, want in key.values.items()
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
