"""The README as a program: its blocks, what they print when they are followed, and how to renew it.

`python -m tests.readme` writes today's output below the commands, and today's table of commands: look at the change.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from autodrill.cli.app import COMMANDS

__all__ = [
    "Block",
    "Shown",
    "command_rows",
    "environment",
    "follow",
    "levelled",
    "parse",
    "shown_in",
    "table_of_commands",
]

README = Path(__file__).resolve().parent.parent / "README.md"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it begins on, and the comment that stands above it."""

    language: str
    text: str
    line: int
    comment: str

    @property
    def file(self) -> str | None:
        found = re.fullmatch(r"<!-- file: (\S+) -->", self.comment)
        return found[1] if found else None


@dataclass(frozen=True)
class Shown:
    """A command of a console block and the lines shown below it."""

    command: str
    output: tuple[str, ...]
    line: int


def parse(text: str) -> list[Block]:
    found = re.finditer(r"(?m)(?:^(?P<comment><!-- .* -->)\n)?^```(?P<language>\w*)\n(?P<text>(?s:.*?))^```$", text)
    return [Block(m["language"], m["text"], text[: m.start("text")].count("\n") + 1, m["comment"] or "") for m in found]


def shown_in(block: Block) -> list[Shown]:
    shown: list[Shown] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            shown.append(Shown(line[2:], (), number))
        else:
            assert shown, f"README.md:{number}: output stands before any command"
            shown[-1] = Shown(shown[-1].command, (*shown[-1].output, line), shown[-1].line)
    return shown


def environment(home: Path) -> dict[str, str]:
    """A learner's environment: an empty history, no colour, the screen of a plain terminal."""
    return {
        "AUTODRILL_HOME": str(home),
        "COLUMNS": "80",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",  # keeps the two output streams in the order of writing
    }


def follow(blocks: list[Block], folder: Path) -> dict[int, str]:
    """Do in a folder everything the README says, in order; return what each command printed, by its line."""
    variables = environment(folder / "home")
    printed: dict[int, str] = {}
    for block in blocks:
        if block.file is not None:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for shown in shown_in(block):
                if shown.command.startswith("export "):
                    name, _, value = shown.command.removeprefix("export ").partition("=")
                    variables[name] = value
                    continue
                ran = subprocess.run(
                    ["bash", "-c", shown.command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False,
                )  # fmt: skip
                printed[shown.line] = ran.stdout
    return printed


def levelled(line: str) -> str:
    """A line without what differs from run to run: times, seeds, and spaces at its end."""
    return re.sub(r"\d+\.\d+ s\b", "TIME", re.sub(r"seed \d+", "seed N", line)).rstrip()


def command_rows() -> list[str]:
    """The rows of the table of commands, from the program."""
    rows = []
    for name, command in COMMANDS.items():
        function = getattr(import_module(f"autodrill.cli.{command.module}"), command.function)
        rows.append(f"| `{name}` | {command.panel.removeprefix('For the ')} | {function.__doc__.splitlines()[0]} |")
    return rows


def table_of_commands(text: str) -> list[str]:
    """The rows of the table of commands, as the README has them."""
    return text.partition("<!-- commands:")[2].partition("\n\n")[0].splitlines()[3:]


def renewed(text: str, printed: dict[int, str]) -> str:
    """Return the README with other output below its commands, and with the program's table of commands."""
    lines = text.splitlines()
    for block in reversed(parse(text)):
        if block.language == "console":
            for shown in reversed(shown_in(block)):
                now = [line.rstrip() for line in printed.get(shown.line, "").splitlines()]
                same = [levelled(line) for line in now] == [levelled(line) for line in shown.output]
                if shown.output and not same:
                    lines[shown.line : shown.line + len(shown.output)] = now
    return ("\n".join(lines) + "\n").replace("\n".join(table_of_commands(text)), "\n".join(command_rows()))


def main() -> None:
    text = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        README.write_text(renewed(text, follow(parse(text), Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
