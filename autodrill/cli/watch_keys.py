"""The keys of `watch`: one table for each panel, which drives both the key bar and the dispatch."""

from __future__ import annotations

from dataclasses import dataclass

from autodrill.cli.bindings import Action, Binding
from autodrill.cli.keyboard import DOWN, ENTER, PAGE_DOWN, PAGE_UP, SPACE, UP

__all__ = ["Offer", "asking_to_give_up", "choosing", "reading", "watching"]


@dataclass(frozen=True, slots=True)
class Offer:
    """What is possible now.

    Attributes:
        checking: Whether a verdict is on its way.
        passed: Whether the last save passes.
        hints: How many hints the learner has seen, and how many there are.
        solution: Whether the learner may see the solution.
        draw: What the tape of the last verdict shows, as the word for its key; empty if there is no tape.
        editor: Whether an editor is set.
        edited: Whether there is a file that is not the stub.
        undo: What `u` takes back; empty if there is nothing.
        rated: Whether the last pass was rated, so that its rating can be changed.
        page: The page of the body shown, from 1, and how many there are.
    """

    checking: bool = False
    passed: bool = False
    hints: tuple[int, int] = (0, 0)
    solution: bool = False
    draw: str = ""
    editor: bool = False
    edited: bool = False
    undo: str = ""
    rated: bool = False
    page: tuple[int, int] = (1, 1)


_RATE = Binding(("1", "2", "3", "4"), Action.RATE, "1-4", "rate", "change the rating: 1 Again, 2 Hard, 3 Good, 4 Easy")
_QUIT = Binding(("q",), Action.QUIT, "q", "quit", "end `watch`; every attempt is saved")


def watching(offer: Offer) -> tuple[Binding, ...]:
    """Return the keys while the verdict is shown."""
    used, hints = offer.hints
    solution = Binding(("s",), Action.SOLUTION, "s", "solution", "show the worked solution")
    compared = "show your answer and the worked solution; also s"
    debrief = Binding((ENTER, "s"), Action.SOLUTION, "Enter", "debrief", compared)
    go_on = "next" if offer.passed else "skip"
    moving = Binding(("n",), Action.NEXT, "n", go_on, "go on to the next exercise")
    return tuple(
        binding
        for binding, works in (
            (debrief, offer.passed),
            (moving, offer.passed),
            (_RATE, offer.rated),
            *_pages(offer),
            (Binding(("r",), Action.RUN, "r", "run", "grade the file again"), not offer.checking),
            (
                Binding(("h",), Action.HINT, "h", f"hint {used + 1}/{hints}", "show the next hint"),
                not offer.passed and used < hints,
            ),
            (
                Binding(("h",), Action.HINT, "h", "hints", "show the hints again"),
                not offer.passed and used >= hints > 0,
            ),
            (
                Binding(("d",), Action.DRAW, "d", offer.draw, "draw each step of the forward with its gradient"),
                bool(offer.draw),
            ),
            (solution, offer.solution and not offer.passed),
            (
                Binding(("g",), Action.GIVE_UP, "g", "give up", "show the worked solution before you have passed"),
                not offer.solution,
            ),
            (Binding(("e",), Action.EDIT, "e", "edit", "open the file in $VISUAL or $EDITOR"), offer.editor),
            (moving, not offer.passed),
            (Binding(("l",), Action.LIST, "l", "list", "choose another exercise from the list"), True),
            (Binding(("x",), Action.RESET, "x", "reset", "restore the stub; your file is renamed"), offer.edited),
            (Binding(("u",), Action.UNDO, "u", "undo", f"undo {offer.undo}"), bool(offer.undo)),
            (Binding(("?",), Action.HELP, "?", "keys", "show this list of keys"), True),
            (_QUIT, True),
        )
        if works
    )


def reading(offer: Offer, *, more_hints: bool = False) -> tuple[Binding, ...]:
    """Return the keys while a hint, the solution, the tape or the list of keys is shown."""
    used, hints = offer.hints
    return tuple(
        binding
        for binding, works in (
            *_pages(offer),
            (
                Binding(("h",), Action.HINT, "h", f"hint {used + 1}/{hints}", "show the next hint"),
                more_hints and used < hints,
            ),
            (_back("show the verdict"), True),
            (_QUIT, True),
        )
        if works
    )


def choosing() -> tuple[Binding, ...]:
    """Return the keys while the list of exercises is shown."""
    return (
        Binding(("j", DOWN), Action.DOWN, "j", "down", "go down; also Down"),
        Binding(("k", UP), Action.UP, "k", "up", "go up; also Up"),
        Binding((SPACE, PAGE_DOWN), Action.MORE, "Space", "page", "go down a page; also PgDn"),
        Binding((PAGE_UP,), Action.EARLIER, "PgUp", "back", "go up a page"),
        Binding((ENTER,), Action.START, "Enter", "open", "go on to the marked exercise"),
        _back("show the verdict"),
        _QUIT,
    )


def asking_to_give_up() -> tuple[Binding, ...]:
    """Return the keys while `watch` asks whether the learner gives up."""
    return (
        Binding(("g",), Action.SOLUTION, "g", "give up", "show the worked solution"),
        _back("go on trying"),
        _QUIT,
    )


def _pages(offer: Offer) -> tuple[tuple[Binding, bool], ...]:
    """Return the keys that turn pages, each with whether it works."""
    number, pages = offer.page
    more = (SPACE, DOWN, PAGE_DOWN)
    return (
        (Binding(more, Action.MORE, "Space", f"page {number}/{pages}", "show the next page; also PgDn"), pages > 1),
        (Binding((PAGE_UP, UP), Action.EARLIER, "PgUp", "back", "show the page before"), number > 1),
    )


def _back(what: str) -> Binding:
    return Binding(("b",), Action.BACK, "b", "back", what)
