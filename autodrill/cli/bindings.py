"""What each key of a quiz does: one table a stage, from which both the key bar and the dispatch are made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from autodrill.bank.judge import letters
from autodrill.cli.keyboard import ENTER, SPACE
from autodrill.practice.log_records import Rating

__all__ = ["Action", "Binding", "asking", "find", "passing", "rating", "ticking"]


class Action(Enum):
    """What a key makes happen."""

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


@dataclass(frozen=True, slots=True)
class Binding:
    """Keys that do the same kind of thing.

    Attributes:
        keys: The keys, as a Keyboard names them.
        action: What they do.
        shown: How they are written in the key bar.
        brief: The word beside them there.
        help: What they do, in a line.
    """

    keys: tuple[str, ...]
    action: Action
    shown: str
    brief: str
    help: str


_EVERYWHERE = (
    Binding(("s",), Action.SKIP, "s", "skip", "go on to the next card; this one is not rated"),
    Binding(("u",), Action.UNDO, "u", "undo", "take back the last rating of this sitting and ask that card again"),
    Binding(("q",), Action.QUIT, "q", "quit", "stop here; what was rated is kept"),
    Binding(("?",), Action.HELP, "?", "keys", "this list"),
)


def asking(*, options: int, typed: bool) -> tuple[Binding, ...]:
    """Return the keys while a question stands.

    Args:
        options: How many options there are to choose from.
        typed: Whether an answer is typed and judged.
    """
    reveal_keys: tuple[str, ...] = (ENTER, SPACE)
    first: tuple[Binding, ...]
    if options:
        keys = tuple(letters(options))
        shown = f"{keys[0]}-{keys[-1]}"
        first = (Binding(keys, Action.CHOOSE, shown, "choose", "choose an option"),)
    elif typed:
        first = (Binding((ENTER, "t"), Action.TYPE, "Enter", "answer", "type your answer; it is judged"),)
        reveal_keys = (SPACE,)
    else:
        first = (Binding(("t",), Action.TYPE, "t", "type", "type your answer, to compare and to keep"),)
    shown = "Enter" if ENTER in reveal_keys else "Space"
    reveal = Binding(reveal_keys, Action.REVEAL, shown, "reveal", "show the answer")
    return (*first, reveal, *_EVERYWHERE) if options or typed else (reveal, *first, *_EVERYWHERE)


def ticking(points: int) -> tuple[Binding, ...]:
    """Return the keys while the key points are ticked."""
    keys = tuple(str(number) for number in range(1, points + 1))
    return (
        Binding(keys, Action.TICK, f"1-{points}", "tick", "tick a key point that you made, or untick it"),
        Binding(("a",), Action.TICK_ALL, "a", "all", "tick them all, or none"),
        Binding((ENTER, SPACE), Action.GO_ON, "Enter", "go on", "go on to the rest of the answer"),
        *_EVERYWHERE,
    )


def passing() -> tuple[Binding, ...]:
    """Return the keys while a card stands that is not rated here: an exercise."""
    go_on = Binding((ENTER, SPACE), Action.GO_ON, "Enter", "go on", "go on; the exercise is rated by `autodrill check`")
    return (go_on, *_EVERYWHERE)


def rating(suggested: Rating) -> tuple[Binding, ...]:
    """Return the keys while the card is rated."""
    take = f"take the suggestion: {suggested.word}"
    return (
        Binding(tuple(str(int(r)) for r in Rating), Action.RATE, "1-4", "rate", "1 Again, 2 Hard, 3 Good, 4 Easy"),
        Binding((ENTER, SPACE), Action.TAKE_SUGGESTION, "Enter", suggested.word, take),
        *_EVERYWHERE,
    )


def find(bindings: tuple[Binding, ...], key: str) -> Binding | None:
    """Return what a key does, or None where it does nothing."""
    return next((binding for binding in bindings if key in binding.keys), None)
