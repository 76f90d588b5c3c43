"""The key bindings of the quiz: one table for each stage, which drives both the key bar and the dispatch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from autodrill.bank.judge import letters
from autodrill.cli.keyboard import ENTER, SPACE
from autodrill.practice.log_records import Rating

__all__ = ["Action", "Binding", "asking", "find", "passing", "rating", "ticking"]


class Action(Enum):
    """The effect of a key."""

    REVEAL = auto()
    TYPE = auto()
    CHOOSE = auto()
    TICK = auto()
    TICK_ALL = auto()
    GO_ON = auto()
    RATE = auto()
    TAKE_SUGGESTION = auto()
    SKIP = auto()
    UNDO = auto()
    QUIT = auto()
    HELP = auto()
    RUN = auto()
    NEXT = auto()
    HINT = auto()
    SOLUTION = auto()
    GIVE_UP = auto()
    EDIT = auto()
    LIST = auto()
    RESET = auto()
    MORE = auto()
    BACK = auto()
    UP = auto()
    DOWN = auto()
    START = auto()


@dataclass(frozen=True, slots=True)
class Binding:
    """Keys with the same action.

    Attributes:
        keys: The keys, as a Keyboard names them.
        action: Their effect.
        shown: The keys as the key bar shows them.
        brief: The word after them in the key bar.
        help: One line for the list that `?` prints.
    """

    keys: tuple[str, ...]
    action: Action
    shown: str
    brief: str
    help: str


_EVERYWHERE = (
    Binding(("s",), Action.SKIP, "s", "skip", "skip this card without a rating"),
    Binding(("u",), Action.UNDO, "u", "undo", "undo the last rating of this session, and show that card again"),
    Binding(("q",), Action.QUIT, "q", "quit", "end the session"),
    Binding(("?",), Action.HELP, "?", "keys", "show this list of keys"),
)


def asking(*, options: int, typed: bool) -> tuple[Binding, ...]:
    """Return the keys while a question waits for its answer.

    Args:
        options: The number of options to choose from.
        typed: Whether an answer is typed and judged.
    """
    reveal_keys: tuple[str, ...] = (ENTER, SPACE)
    first: tuple[Binding, ...]
    if options:
        keys = tuple(letters(options))
        shown = f"{keys[0]}-{keys[-1]}"
        first = (Binding(keys, Action.CHOOSE, shown, "choose", "choose this option"),)
    elif typed:
        first = (Binding((ENTER, "t"), Action.TYPE, "Enter", "answer", "type your answer, which is then judged"),)
        reveal_keys = (SPACE,)
    else:
        first = (
            Binding(
                ("t",),
                Action.TYPE,
                "t",
                "type",
                "type your answer to compare it with the right answer; the text is saved with your rating",
            ),
        )
    shown = "Enter" if ENTER in reveal_keys else "Space"
    reveal = Binding(reveal_keys, Action.REVEAL, shown, "reveal", "show the answer")
    return (*first, reveal, *_EVERYWHERE) if options or typed else (reveal, *first, *_EVERYWHERE)


def ticking(points: int) -> tuple[Binding, ...]:
    """Return the keys while the learner ticks key points."""
    keys = tuple(str(number) for number in range(1, points + 1))
    return (
        Binding(keys, Action.TICK, f"1-{points}", "tick", "tick a key point that you made, or untick it"),
        Binding(("a",), Action.TICK_ALL, "a", "all", "tick all key points, or untick them all"),
        Binding((ENTER, SPACE), Action.GO_ON, "Enter", "go on", "continue with the rest of the answer"),
        *_EVERYWHERE,
    )


def passing() -> tuple[Binding, ...]:
    """Return the keys while an exercise is shown, which `autodrill check` rates and not the quiz."""
    go_on = Binding((ENTER, SPACE), Action.GO_ON, "Enter", "go on", "continue; `autodrill check` rates the exercise")
    return (go_on, *_EVERYWHERE)


def rating(suggested: Rating) -> tuple[Binding, ...]:
    """Return the keys while the learner rates the card."""
    take = f"accept the suggested rating: {suggested.word}"
    return (
        Binding(tuple(str(int(r)) for r in Rating), Action.RATE, "1-4", "rate", "1 Again, 2 Hard, 3 Good, 4 Easy"),
        Binding((ENTER, SPACE), Action.TAKE_SUGGESTION, "Enter", suggested.word, take),
        *_EVERYWHERE,
    )


def find(bindings: tuple[Binding, ...], key: str) -> Binding | None:
    """Return the binding of a key, or None if it has none."""
    return next((binding for binding in bindings if key in binding.keys), None)
