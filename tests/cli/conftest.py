"""A small question bank, and fixtures that run the quiz on it in a subprocess, on a pipe or on a terminal."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING, Self

import pytest

from tests.cli.screens import grid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path

import typer

from autodrill.bank import question_files
from autodrill.cli.quiz_command import quiz

bank = Path(sys.argv.pop(1))
load = question_files.load_questions
question_files.load_questions = lambda: load(bank)
app = typer.Typer()
app.command()(quiz)
app()
"""

REST = """
### Answer
The answer to {id}.

### Key points
- first point of {id}
- second point
- third point

### Common wrong answers
- **"nothing"**: something.

### Follow-ups
- And then? → The end.
"""

# The quiz's session takes the terminal as its controlling terminal, so that Ctrl-C reaches only the quiz.
ADOPT = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"


def question(identity: str, kind: str, ask: str = "", fields: str = "", proof: str = "", options: str = "") -> str:
    front = f'id = "{identity}"\nkind = "{kind}"\ndifficulty = "easy"\nminutes = 1\n'
    front += f'topics = ["{identity}-topic"]\nsources = ["000#1"]\n{fields}'
    body = f"## What about {identity}?\n{ask}\n{options}{REST.format(id=identity)}"
    return f"+++\n{front}\n+++\n{body}" + (f"### Proof\n```python\n{proof}\n```\n" if proof else "")


BANK = "\n".join(
    [
        question("recall-one", "recall", "Think of `[a/b]` and f<g and [bold]x[/bold]."),
        question(
            "choice-two",
            "choice",
            options="### Options\n- [ ] left :: it is not\n- [x] right :: it is\n- [ ] middle :: neither\n",
        ),
        question(
            "numeric-three", "numeric", fields='[answers]\na = "1/3"\nb = 2', proof="computed = {'a': 1/3, 'b': 2}"
        ),
        question("predict-four", "predict", "```python\nprint(1, 2)\n```", 'output = "1 2"'),
        question("bug-five", "bug", "```python\nx = 1\ny = 2\n```", 'line = 2\nfix = "y = 3"', "check = bool"),
        question(
            "derive-six", "derive", fields='variables = ["x"]\n[answers]\nf = "2*x"', proof="computed = {'f': abs}"
        ),
    ]
)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """The folder of a bank of six questions, one of each kind."""
    folder = tmp_path / "questions"
    folder.mkdir()
    (folder / "bank.md").write_text(BANK, encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the learner's history goes."""
    return tmp_path / "home"


def environment(home: Path, **changes: str) -> dict[str, str]:
    """A learner's environment, without the variables of the machine that runs the tests."""
    fixed = {"AUTODRILL_HOME": str(home), "TERM": "xterm-256color", "COLUMNS": "80", "PYTHONUTF8": "1"}
    dropped = {"NO_COLOR", "FORCE_COLOR", "LINES", "PYTHONIOENCODING", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
    return {**{k: v for k, v in os.environ.items() if k not in dropped}, **fixed, **changes}


@pytest.fixture
def quiz(bank: Path, home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the quiz on pipes, `typed` being what comes in."""

    def run(*arguments: str, typed: str | None = None, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, str(bank), *arguments],
            input=typed,
            stdin=subprocess.DEVNULL if typed is None else None,
            capture_output=True,
            encoding="utf-8",
            env=environment(home, **changes),
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def shipped(home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run autodrill as a learner does, with what ships and a history of its own."""

    def shipped(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "autodrill", *arguments],
            input=typed,
            capture_output=True,
            encoding="utf-8",
            env=environment(home),
            timeout=60,
            check=False,
        )

    return shipped


class Terminal:
    """The quiz on a real pseudo-terminal."""

    def __init__(self, command: list[str], env: dict[str, str], columns: int, rows: int) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.modes_before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=env, start_new_session=True
        )
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.seen = ""
        self._mark = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    @property
    def modes(self) -> list[object]:
        """The terminal's modes now."""
        return termios.tcgetattr(self.slave)

    @property
    def text(self) -> str:
        """All that was printed, without escape sequences."""
        return plain(self.seen)

    def wait_for(self, text: str) -> str:
        """Read until `text` is printed after what was last waited for; return what came up to its end."""
        deadline = time.monotonic() + 30
        while (at := self.text.find(text, self._mark)) < 0:
            if not self._read(deadline):
                raise AssertionError(f"never printed {text!r}; last came:\n{self.text[self._mark :][-2000:]}")
        new = self.text[self._mark : at + len(text)]
        self._mark = at + len(text)
        return new

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal."""
        self.size = (columns, rows)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def screen(self, keys: str = "") -> list[str]:
        """Press keys, wait for the key bar below the next screen, and return the rows of the terminal."""
        os.write(self.master, keys.encode())
        self.wait_for("? keys")
        return grid(self.seen, *self.size)

    def press(self, keys: str) -> None:
        """Press keys once the key bar is there."""
        self.wait_for("? keys")
        os.write(self.master, keys.encode())

    def type(self, text: str, after: str) -> None:
        """Type a line once its prompt is there."""
        self.wait_for(after)
        os.write(self.master, f"{text}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl-C once the key bar is there."""
        self.press("\x03")

    def finish(self) -> int:
        """Read to the end and return the exit status."""
        deadline = time.monotonic() + 30
        while self._read(deadline):
            pass
        return self.process.wait(timeout=30)

    def end_by(self, number: int) -> int:
        """Send a signal, and return the exit status.

        Python notices a signal late that comes just before a blocking call, so the signal is sent again.
        """
        for _ in range(10):
            self.process.send_signal(number)
            deadline = time.monotonic() + 3
            while self._read(deadline):
                pass
            if self.process.poll() is not None:
                break
        return self.finish()

    def _read(self, deadline: float) -> bool:
        while not select.select([self.master], [], [], 0.05)[0]:
            if self.process.poll() is not None or time.monotonic() > deadline:
                return False
        with contextlib.suppress(OSError):
            chunk = os.read(self.master, 65536)
            self.seen += self._decoder.decode(chunk)
            return bool(chunk)
        return False

    def kill(self) -> None:
        """Kill the quiz as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def plain(text: str) -> str:
    """A text without the terminal's escape sequences; each screen begins on a line of its own."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.replace("\x1b[H", "\n")).replace("\r", "")


@pytest.fixture
def terminal(bank: Path, home: Path) -> Iterator[Callable[..., Terminal]]:
    """Start the quiz on a terminal."""
    with contextlib.ExitStack() as stack:

        def start(
            *arguments: str, columns: int = 80, rows: int = 40, shipped: bool = False, **changes: str
        ) -> Terminal:
            env = environment(home, **({} if shipped else {"COLUMNS": str(columns)}), **changes)
            if shipped:
                del env["COLUMNS"]
            program = "from autodrill.cli.app import main; main()" if shipped else PROGRAM
            command = [sys.executable, "-c", ADOPT + program, "quiz" if shipped else str(bank), *arguments]
            return stack.enter_context(Terminal(command, env, columns, rows))

        yield start
