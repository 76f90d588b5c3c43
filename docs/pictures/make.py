"""The pictures of the README and of `docs/`: real commands, run in a terminal and saved as SVG."""  # noqa: INP001 a script, not a package

from __future__ import annotations

import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.segment import Segment

__all__ = ["PICTURES", "Picture", "draw", "record"]

COLUMNS, LINES = 80, 24
FOLDER = Path(__file__).resolve().parent
_WRONG = 1  # the exit code of a wrong answer, which is what some pictures are of
PATIENCE = 30.0
"""Seconds to wait for a program to show what it is expected to, before the script gives up."""

OVERWRITTEN = """\
def mul_backward(self, other, out):
    self.grad = other.data * out.grad
    other.grad = self.data * out.grad
"""
NO_SCALE = """\
def attention_backward(g, q, k, v, p):
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True))
    return ds @ k, ds.mT @ q, p.mT @ g
"""
RIGHT = OVERWRITTEN.replace(" = ", " += ")
ONE_MINUS = """\
def tanh_backward(self, out):
    self.grad += (1 - out.data) * out.grad
"""
SUM = """\
def add_backward(self, other, out):
    self.grad += out.grad
    other.grad += out.grad
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: the files in a folder, commands that are not shown, and commands that are shown.

    Attributes:
        name: The picture's file name, without `.svg`.
        alt: What it shows, in a sentence.
        files: Files in the folder the commands run in, by name.
        before: Commands run first, not shown.
        commands: The commands shown with their output.
        keys: For a command that asks: wait until this text stands on the screen, then press these keys.
        learner: The log of `learner.py` that the commands find: `days`, `question` or `report`; empty for none. The
            commands then run on its last day, and the clock of an interview stands still.
    """

    name: str
    alt: str
    files: Mapping[str, str]
    before: tuple[str, ...]
    commands: tuple[str, ...]
    keys: tuple[tuple[str, str], ...] = ()
    learner: str = ""


PROGRAM = """
import os, sys
from datetime import datetime
from autodrill.cli import options
options.now = lambda: datetime.fromisoformat(os.environ["TODAY"])
from autodrill.cli import interview_command
interview_command._clock = lambda: 0.0
from autodrill.__main__ import main
main()
"""
TODAY = "2026-11-24T09:00:00+00:00"
PICTURES = (
    Picture(
        "check",
        "autodrill check names the rule that a wrong backward pass breaks, and shows the smallest failing input",
        {"mul_backward.py": OVERWRITTEN},
        (),
        ("cat mul_backward.py", "autodrill check mul_backward --seed 1"),
    ),
    Picture(
        "quiz",
        "a quiz card with the question, the answer, and the key points to tick",
        {},
        (),
        ("autodrill quiz --ids relu-backward-code",),
        (("Enter reveal", "\r"), ("1-", "1"), ("1-", "3"), ("Enter rate", "")),
    ),
    Picture(
        "draw",
        "autodrill check --draw shows each step of attention with its gradient, and the step that is wrong",
        {"attention_backward.py": NO_SCALE},
        (),
        ("autodrill check attention_backward --draw --seed 1",),
    ),
    Picture(
        "watch",
        "autodrill watch shows the verdict on the saved file, and the keys that work now",
        {"mul_backward.py": OVERWRITTEN},
        (),
        ("autodrill watch mul_backward",),
        (("cases right", ""),),
    ),
    Picture(
        "list",
        "autodrill list shows a track: its exercises, your progress, what is due and what comes next",
        {"add_backward.py": SUM, "mul_backward.py": RIGHT, "tanh_backward.py": ONE_MINUS},
        ("check add_backward", "check mul_backward", "check tanh_backward"),
        ("autodrill list --track scalar",),
    ),
    Picture(
        "home",
        "autodrill without a command shows the learning path, what is due, and the one next thing",
        {},
        (),
        ("autodrill",),
        (("quit", ""),),
        learner="days",
    ),
    Picture(
        "stats",
        "autodrill stats names the weakest rules and topics, and counts the cards due and the days of practice",
        {},
        (),
        ("autodrill stats",),
        learner="days",
    ),
    Picture(
        "interview",
        "a question of an interview, the answer that is being typed, and the clock",
        {},
        (),
        ("autodrill interview",),
        (("Enter go on", "\r"), ("Ctrl-D", "")),
        learner="question",
    ),
    Picture(
        "report",
        "the report of an interview: what was covered and missed, the time by topic, and what to practise next",
        {},
        (),
        ("autodrill interview",),
        (("Enter go on", "\r"), ("to keep it", "")),
        learner="report",
    ),
)


def record(picture: Picture) -> str:
    """Run a picture's commands in an empty home and return what the terminal shows, with its colours.

    Raises:
        RuntimeError: If a command fails otherwise than by a wrong answer.
        TimeoutError: If a text that keys wait for does not appear.
    """
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for name, text in picture.files.items():
            (here / name).write_text(text, encoding="utf-8")
        environment = {
            "AUTODRILL_HOME": str(here / "home"),
            "COLUMNS": str(COLUMNS),
            "FORCE_COLOR": "1",
            "LANG": "C.UTF-8",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "TERM": "xterm-256color",
            "TODAY": TODAY,
            "TZ": "UTC",
        }
        if picture.learner:
            run = [sys.executable, str(FOLDER / "learner.py"), str(here / "home"), picture.learner]
            subprocess.run(run, env=environment, check=True)  # noqa: S603 the script next to this one
        for command in picture.before:
            run = [sys.executable, "-m", "autodrill", *command.split()]
            ended = subprocess.run(run, cwd=here, env=environment, capture_output=True, check=False)  # noqa: S603 see above
            if ended.returncode > _WRONG:
                raise RuntimeError(ended.stderr.decode())
        shown = []
        for command in picture.commands:
            output = _run(_words(picture, command), here, environment, picture.keys)
            shown.append(f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\n{output}")
    return "\n".join(shown)


def _words(picture: Picture, command: str) -> list[str]:
    """Return the words of a command; with a learner's log, those that run it on the log's last day."""
    name, *words = command.split()
    return [sys.executable, "-c", PROGRAM, *words] if picture.learner else [name, *words]


def _run(command: list[str], folder: Path, environment: Mapping[str, str], keys: tuple[tuple[str, str], ...]) -> str:
    """Run one command in a terminal of its own; return what stands there at its end or when keys run out."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    process = subprocess.Popen(  # noqa: S603 the commands stand above
        command, cwd=folder, env=dict(environment), stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    try:
        written = "" if keys else _read(ours, None)
        if not keys and process.wait() > _WRONG:
            raise RuntimeError(_settled(written))
        for awaited, pressed in keys:
            written += _read(ours, awaited)
            os.write(ours, pressed.encode())
    finally:
        process.kill()  # it waits for another key, or has ended long ago
        process.wait()
        os.close(ours)
    return _settled(written)


def _read(terminal: int, awaited: str | None) -> str:
    """Read what a program writes until it shows a text and falls silent, or, where none is awaited, until it ends.

    Raises:
        TimeoutError: If that does not happen.
    """
    written = b""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.3)[0]:
            try:
                piece = os.read(terminal, 1 << 16)
            except OSError:  # how a terminal says on Linux that its last writer has gone
                piece = b""
            if not piece and (awaited is None or awaited in written.decode()):
                return written.decode()
            if not piece:
                break
            written += piece
        elif awaited is not None and _shows(written, awaited):
            return written.decode()
    raise TimeoutError(f"waited for {awaited or 'the end'!r}, but got:\n{written.decode()}")


def _shows(written: bytes, awaited: str) -> bool:
    """Return whether a text has been written, and no frame is half written: a busy machine may pause within a frame."""
    begun, ended = written.count(b"\x1b[?2026h"), written.count(b"\x1b[?2026l")
    return begun == ended and awaited in re.sub(r"\x1b\[[\d;]*m", "", written.decode())


def _settled(written: str) -> str:
    """Carry out the movements the screens use: to the top left corner, to write the screen again, and back from it."""
    lines: list[str] = [""]
    for piece in re.split(r"(\x1b\[\d*;?\d*H|\x1b\[[JK]|\x1b\[\?\d+[hl]|\n)", written.replace("\r", "")):
        if piece in {"\x1b[H", "\x1b[?1049l"}:
            lines = [""]
        elif piece in {"\x1b[J", "\x1b[K"} or re.fullmatch(r"\x1b\[\d+;\d+H", piece):  # the cursor is not drawn
            continue
        elif piece == "\n":
            lines.append("")
        elif not piece.startswith("\x1b[?"):
            lines[-1] += piece
    return "\n".join(lines).rstrip("\n") + "\n"


def draw(picture: Picture, screen: str) -> str:
    """Return an SVG of a screen; the same screen gives the same bytes, and nothing is fetched to show it."""
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    console = Console(width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    lines = console.render_lines(Text.from_ansi(screen.rstrip("\n")), pad=False)
    marks = [mark for row, line in enumerate(lines) for mark in _marks(row, line)]
    width, height = COLUMNS * _ADVANCE + 2 * _MARGIN, len(lines) * _LEADING + 2 * _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
            f"<title>{escape(picture.alt)}</title>",
            f'<rect width="{width:g}" height="{height:g}" rx="10" fill="{_PAPER}"/>',
            f'<g font-family="{_FONTS}" font-size="{_SIZE}" fill="{_INK}">',
            *marks,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _marks(row: int, line: list[Segment]) -> Iterator[str]:
    """Yield the SVG elements of one line of the screen."""
    column = 0
    for text, style, _ in line:
        colour = _INK if style is None or style.color is None else _COLOURS[style.color.number or 0]
        looks = f' fill="{colour}"' if colour != _INK else ""
        looks += ' font-weight="bold"' if style and style.bold else ""
        looks += ' font-style="italic"' if style and style.italic else ""
        looks += ' opacity="0.6"' if style and style.dim else ""
        for found in re.finditer(
            r"\S+(?: \S+)*", text
        ):  # browsers make one space of two, so each run has its own place
            words, x, top = found[0], _MARGIN + (column + found.start()) * _ADVANCE, _MARGIN + row * _LEADING
            if words == "┃":  # a terminal joins the bars of neighbouring lines; a font does not
                bar = f'x="{x + _ADVANCE / 2 - 1.5:g}" y="{top:g}" width="3" height="{_LEADING + 0.5}"'
                yield f'<rect {bar} fill="{colour}"/>'
            else:
                place = f'x="{x:g}" y="{top + _BASELINE:g}" textLength="{len(words) * _ADVANCE:g}"'
                yield f"<text {place}{looks}>{escape(words)}</text>"
        column += len(text)


_SIZE, _ADVANCE, _LEADING, _BASELINE, _MARGIN = 14, 8.43, 19, 14, 18
_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_PAPER, _INK = "#0d1117", "#e6edf3"
_COLOURS = (
    *("#6e7681", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"),
    *("#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"),
)
"""The sixteen colours of a terminal, by number."""


def main() -> None:
    """Draw every picture."""
    for picture in PICTURES:
        path = FOLDER / f"{picture.name}.svg"
        path.write_text(draw(picture, record(picture)), encoding="utf-8")
        sys.stdout.write(f"{path.name}: {picture.alt}\n")


if __name__ == "__main__":
    main()
