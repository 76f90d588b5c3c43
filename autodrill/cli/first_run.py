"""The first run: what autodrill is, in three lines, and one key to the first question or the first exercise."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from autodrill.cli.options import open_store

if TYPE_CHECKING:
    from autodrill.cli.keyboard import Keyboard
    from autodrill.drills.exercise import Heading
    from autodrill.render.plain import Paint

__all__ = ["FIRST_QUESTION", "welcome"]

FIRST_QUESTION = "gradient-layout"
"""An easy question that one key answers."""


def welcome() -> bool:
    """Greet a learner without a history at a terminal, and begin what a key chooses.

    Returns:
        Whether the learner was greeted. With a history, or without a terminal, nothing is done.
    """
    from autodrill.cli.keyboard import TerminalKeyboard, terminal_keyboard_works

    if not (sys.stdout.isatty() and terminal_keyboard_works()) or not _is_new():
        return False
    from autodrill.drills.library import Library
    from autodrill.render.plain import Paint, flush, say

    exercise = Library.open().headings()[0]
    with TerminalKeyboard() as keyboard:
        for line in _lines(exercise, Paint.for_stream(sys.stdout, os.environ)):
            say(line)
        flush(sys.stdout)
        key = _chosen(keyboard)
    match key:
        case "enter":
            from autodrill.cli.quiz_command import quiz

            quiz(ids=FIRST_QUESTION)
            say("next: autodrill, for more questions and your first exercise", err=True)
        case "e":
            from autodrill.cli.watch_command import watch

            watch(exercise.id)
    return True


def _is_new() -> bool:
    from autodrill.folders import history_file

    if not history_file(os.environ).exists():
        return True
    with open_store() as store:
        return not store.reviews() and not store.attempts()


def _lines(exercise: Heading, paint: Paint) -> list[str]:
    from autodrill.folders import home
    from autodrill.render.plain import clean

    def key(name: str, what: str) -> str:
        return f"  {paint(f'{name:<5}', 'cyan', 'bold')}  {what}"

    return [
        f"{paint('autodrill', 'bold')}  practise autodiff and backprop for interviews",
        "",
        "  You answer interview questions, and you write backward passes.",
        "  Each answer is judged at once, and it comes back before you forget it.",
        f"  Your progress stays on this machine, in {clean(str(home(os.environ)))}.",
        "",
        key("Enter", "answer a question, with one more key"),
        key("e", f"write a backward pass: {exercise.id} ({exercise.minutes} min)"),
        key("q", "quit; autodrill --help lists every command"),
    ]


def _chosen(keyboard: Keyboard) -> str:
    """Return the key that is pressed, of those that have an effect; `q` at the end of the input."""
    from autodrill.cli.keyboard import ENTER

    while True:
        try:
            key = keyboard.key()
        except EOFError:
            return "q"
        if key in {ENTER, "e", "q"}:
            return key
