"""The key bindings of the quiz: one table for each stage, which drives both the key bar and the dispatch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from autodrill.bank.judge import letters
from autodrill.cli.keyboard import DOWN, ENTER, PAGE_DOWN, PAGE_UP, SPACE, UP
from autodrill.practice.log_records import Rating
from autodrill.render.card_screen import Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Action", "Binding", "asking", "find", "paging", "parts", "passing", "rating", "ticking"]


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
    OPEN = auto()
    LATER = auto()
    EARLIER = auto()
    SKIP = auto()
    UNDO = auto()
    QUIT = auto()
    HELP = auto()
    RUN = auto()
    NEXT = auto()
    HINT = auto()
    SOLUTION = auto()
    GIVE_UP = auto()
    DRAW = auto()
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
        part: The part of the card that the key opens and closes.
    """

    keys: tuple[str, ...]
    action: Action
    shown: str
    brief: str
    help: str
    part: Part | None = None


_EVERYWHERE = (
    Binding(("s",), Action.SKIP, "s", "skip", "skip this card without a rating"),
    Binding(("u",), Action.UNDO, "u", "undo", "undo the last rating of this session, and show that card again"),
    Binding(("q",), Action.QUIT, "q", "quit", "end the session"),
    Binding(("?",), Action.HELP, "?", "keys", "show this list of keys"),
)


_PARTS = {
    Part.MISTAKES: ("m", "mistakes", "open or close the common wrong answers"),
    Part.MISREAD: ("o", "often misread", "open or close what is often written and is wrong"),
    Part.FOLLOW_UPS: ("f", "follow-ups", "open or close the questions that come next"),
    Part.QUESTION: ("v", "question", "open or close the question, with every option explained"),
    Part.PRACTICE: ("p", "practice", "open or close the commands of exercises on this"),
    Part.SOURCES: ("r", "sources", "open or close the source, with the program that proves the answer"),
}
_COUNTED = (Part.MISTAKES, Part.MISREAD, Part.FOLLOW_UPS)


def parts(there: Mapping[Part, int]) -> tuple[Binding, ...]:
    """Return the keys that open the parts of a card, given how many items each part has."""
    found = []
    for part, count in there.items():
        key, brief, said = _PARTS[part]
        brief += f" ({count})" if part in _COUNTED else ""
        found.append(Binding((key,), Action.OPEN, key, brief, said, part))
    return tuple(found)


def paging(keys: Sequence[Binding], *, left: int, earlier: bool) -> tuple[Binding, ...]:
    """Return the keys of a stage with those that page its text, forward and back, as far as there are pages.

    As in a pager, the space bar goes on to the next page while there is one, unless the key bar names another use.
    """
    more = f"{left} more line{'s' if left != 1 else ''}"
    space = () if any(binding.shown == "Space" for binding in keys) else (SPACE,)
    on = f"show the next page of the text; also Down, PgDn{', Space' if space else ''}"
    later = Binding(("j", DOWN, PAGE_DOWN, *space), Action.LATER, "j", more, on)
    back = Binding(("k", UP, PAGE_UP), Action.EARLIER, "k", "back", "show the previous page of the text; also Up, PgUp")
    pages = (*([later] if left else []), *([back] if earlier else []))
    taken = {key for binding in pages for key in binding.keys}
    return (*pages, *(replace(b, keys=tuple(key for key in b.keys if key not in taken)) for b in keys))


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


def ticking(points: int, there: Mapping[Part, int]) -> tuple[Binding, ...]:
    """Return the keys while the learner ticks key points of a card with these parts."""
    keys = tuple(str(number) for number in range(1, points + 1))
    return (
        Binding(keys, Action.TICK, f"1-{points}", "tick", "tick a key point that you made, or untick it"),
        Binding(("a",), Action.TICK_ALL, "a", "all", "tick all key points, or untick them all"),
        Binding((ENTER, SPACE), Action.GO_ON, "Enter", "rate", "go on to the rating"),
        *parts(there),
        *_EVERYWHERE,
    )


def passing(*, opens: bool) -> tuple[Binding, ...]:
    """Return the keys while an exercise is shown, which `watch` and `check` rate and not the quiz.

    Args:
        opens: Whether the exercise can be opened from here.
    """
    if opens:
        start = Binding((ENTER, SPACE), Action.START, "Enter", "watch it", "open the file and watch it; `q` comes back")
        return (start, *_EVERYWHERE)
    go_on = Binding((ENTER, SPACE), Action.GO_ON, "Enter", "go on", "continue; `autodrill check` rates the exercise")
    return (go_on, *_EVERYWHERE)


def rating(suggested: Rating, there: Mapping[Part, int]) -> tuple[Binding, ...]:
    """Return the keys while the learner rates a card with these parts."""
    take = f"accept the suggested rating: {suggested.word}"
    return (
        Binding(tuple(str(int(r)) for r in Rating), Action.RATE, "1-4", "rate", "1 Again, 2 Hard, 3 Good, 4 Easy"),
        Binding((ENTER, SPACE), Action.TAKE_SUGGESTION, "Enter", suggested.word, take),
        *parts(there),
        *_EVERYWHERE,
    )


def find(bindings: tuple[Binding, ...], key: str) -> Binding | None:
    """Return the binding of a key, or None if it has none."""
    return next((binding for binding in bindings if key in binding.keys), None)
