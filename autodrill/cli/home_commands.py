"""`autodrill` alone and `autodrill next`: where the learner is, and the one next thing to do."""

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING

from autodrill.cli.options import Exit, Format, OutputFormat, Packs, again

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from autodrill.cli.overview import Overview
    from autodrill.render.home_screen import Home

__all__ = ["next_", "status"]

_KEYS = {"w": "watch", "i": "interview", "s": "stats"}
"""The keys of the first screen, each with the command that it starts."""


def status(commands: "Container[str]") -> "Sequence[str] | None":
    """Show where the learner is and the next command. On a terminal, wait for a key that starts one.

    Args:
        commands: The names of the commands.

    Returns:
        The arguments of the command to run, or None.
    """
    from autodrill.cli.keyboard import terminal_keyboard_works
    from autodrill.cli.overview import Overview, history_if_any
    from autodrill.render.home_screen import home_lines
    from autodrill.render.plain import Paint, say, symbols_for, width_of
    from autodrill.render.watch_screen import bar_lines

    paint, width = Paint.for_stream(sys.stdout, os.environ), width_of(sys.stdout, os.environ, most=80)
    asks = sys.stdout.isatty() and terminal_keyboard_works()
    keys = {key: name for key, name in _KEYS.items() if name in commands}
    with history_if_any() as store:
        overview = Overview(store)
        step = overview.step
        for line in home_lines(_home(overview), paint, symbols_for(sys.stdout), width):
            say(line)
        words = list(step.command) if step else ["quiz", "--ahead"]
    if not asks:
        say(f"next: autodrill {' '.join(words)}", err=True)
        say("all commands: autodrill --help", err=True)
        return None
    shown = [("Enter", " ".join(words)), *keys.items(), ("h", "help"), ("q", "quit")]
    bar = "\n".join(bar_lines(shown, paint, width))
    return _chosen(bar, {"enter": words, "h": ["--help"], **{key: [name] for key, name in keys.items()}})


def _chosen(bar: str, commands: "dict[str, list[str]]") -> "Sequence[str] | None":
    """Show the keys, wait for one, and return the command that it starts; None to quit."""
    import typer

    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.render.plain import flush, say

    try:
        with TerminalKeyboard() as keyboard:
            say(bar)  # now, because before a key would be a part of a line
            flush(sys.stdout)
            while True:
                key = keyboard.key()
                if key in commands:
                    return commands[key]
                if key == "q":
                    return None
    except EOFError:
        return None
    except KeyboardInterrupt:
        raise typer.Exit(Exit.INTERRUPTED) from None


def _home(overview: "Overview") -> "Home":
    from autodrill.practice.agenda import streak
    from autodrill.practice.log_records import CardKind, kind_of
    from autodrill.render.home_screen import Home

    agenda, step, store = overview.agenda, overview.step, overview.store
    moments = [r.at for r in overview.reviews] + ([a.at for a in store.attempts()] if store else [])
    days, row = streak(moments, agenda.now)
    due = Counter(kind_of(state.card) for state in agenda.due)
    return Home(
        agenda=agenda,
        days=days,
        streak=row,
        exercises=(len(overview.passed), len(overview.library.paths), due[CardKind.EXERCISE]),
        questions=(len(overview.seen), len(overview.questions), due[CardKind.QUESTION]),
        predictions=due[CardKind.PREDICTION],
        path=_on_path(overview),
        next=(step, overview.heading(step)) if step else None,
    )


def _on_path(overview: "Overview") -> "tuple[str, int, int, float] | None":
    from autodrill.practice.path_progress import step_card

    if (path := overview.path) is None:
        return None
    minutes = sum(heading.minutes for heading in overview.headings(map(step_card, path.left)).values())
    return path.path.name, len(path.done), len(path.path.steps), minutes


def next_(pack: Packs = None, output_format: Format = OutputFormat.TEXT) -> None:
    """Show the one next thing to do.

    What is due comes first. Then comes the next step of your learning path. If you follow no path, new exercises and
    questions take turns.

    Example:
      autodrill next
    """
    from autodrill.cli.overview import Overview, history_if_any
    from autodrill.practice.agenda import heading_json

    with history_if_any() as store:
        overview = Overview(store, pack or ())
        step = overview.step
        agenda = overview.agenda
        heading = overview.heading(step) if step else None
    command = None
    if step:
        from autodrill.practice.log_records import CardKind, kind_of

        opens = kind_of(step.card) is CardKind.EXERCISE
        command = f"autodrill {' '.join(step.command)}{again(pack) if opens else ''}"
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        found = (
            {**heading_json(step.card, heading), "why": step.why, "path": step.path or None}
            if step and heading
            else None
        )
        write_document("next", next=found, run=command)
        return
    from autodrill.render.home_screen import nothing_left, step_line
    from autodrill.render.plain import Paint, say, symbols_for

    if step is None or heading is None:
        say(nothing_left(agenda))
        say("next: autodrill quiz --ahead", err=True)
        return
    paint = Paint.for_stream(sys.stdout, os.environ)
    say(step_line(step, heading, agenda.now, paint, symbols_for(sys.stdout)))
    say(paint(f"  {heading.title}", "dim"))
    say(f"next: {command}", err=True)
