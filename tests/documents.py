"""The documents as programs: their blocks, what following them prints, and how to renew them.

A document is the README or a page of `docs/`. `python -m tests.documents` writes today's output below every command,
today's table of commands into the README, and today's parts and files into `docs/architecture.md`. Read the diff.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from autodrill.cli.app import COMMANDS
from tests.test_architecture import PACKAGE, PARTS

__all__ = [
    "ARCHITECTURE",
    "DOCUMENTS",
    "README",
    "ROOT",
    "Block",
    "Shown",
    "block_after",
    "command_rows",
    "environment",
    "files_drawn",
    "files_of_the_package",
    "follow",
    "name_of",
    "normalised",
    "parse",
    "parts_drawn",
    "shown_in",
    "table_of_commands",
]

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
DOCUMENTS = (README, *sorted((ROOT / "docs").glob("*.md")))

_INDENT = "    "
_WIDTH = 100


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it begins on, and the comment above it."""

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


def name_of(document: Path) -> str:
    """A document's path below the root of the repository."""
    return document.relative_to(ROOT).as_posix()


def parse(text: str) -> list[Block]:
    found = re.finditer(r"(?m)(?:^(?P<comment><!-- .* -->)\n)?^```(?P<language>\w*)\n(?P<text>(?s:.*?))^```$", text)
    return [Block(m["language"], m["text"], text[: m.start("text")].count("\n") + 1, m["comment"] or "") for m in found]


def shown_in(block: Block) -> list[Shown]:
    shown: list[Shown] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            shown.append(Shown(line[2:], (), number))
        else:
            assert shown, f"line {number}: output before any command"
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
    """Do everything a document says, in order, in a folder; return what each command printed, by its line."""
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


def normalised(line: str) -> str:
    """A line without what differs from run to run: times, seeds, and spaces at its end."""
    return re.sub(r"\d+\.\d+ s\b", "TIME", re.sub(r"seed \d+", "seed N", line)).rstrip()


# The table of commands, in the README


def command_rows() -> list[str]:
    """The rows of the table of commands, from the program."""
    rows = []
    for name, command in COMMANDS.items():
        function = getattr(import_module(f"autodrill.cli.{command.module}"), command.function)
        rows.append(f"| `{name}` | {function.__doc__.splitlines()[0]} |")
    return rows


def table_of_commands(text: str) -> list[str]:
    """The rows of the table of commands, as the README has them."""
    return text.partition("<!-- commands:")[2].partition("\n\n")[0].splitlines()[3:]


def _with_commands(text: str) -> str:
    above, mark, rest = text.partition("<!-- commands:")
    table, _, below = rest.partition("\n\n")
    return "\n".join([above + mark + table.splitlines()[0], *table.splitlines()[1:3], *command_rows(), "", below])


# The parts and the files of the package, in docs/architecture.md


def block_after(text: str, mark: str) -> Block:
    """The one block whose comment begins with a word."""
    (block,) = (block for block in parse(text) if block.comment.startswith(f"<!-- {mark}:"))
    return block


def parts_drawn(text: str) -> dict[str, str]:
    """What the drawing says of each part, from the bottom up, as `PARTS` lists them."""
    lines = block_after(text, "parts").text.splitlines()
    drawn = [line.partition(" ") for line in lines if line[:1].strip()]
    return {name: words.strip() for name, _, words in reversed(drawn)}


def files_drawn(text: str) -> dict[str, tuple[str, list[str]]]:
    """What the tree of files says of each folder of the package, and the modules it lists there, in its order."""
    folders: dict[str, tuple[str, list[str]]] = {}
    for line in block_after(text, "files").text.splitlines():
        if line.startswith(_INDENT):
            list(folders.values())[-1][1].extend(line.split())
        else:
            name, _, words = line.partition(" ")
            folders[name.rstrip("/")] = words.strip(), []
    return folders


def files_of_the_package() -> dict[str, list[str]]:
    """The modules of each folder of the package, without `__init__` and `__main__`."""
    folders: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        modules = folders.setdefault(path.parent.relative_to(PACKAGE.parent).as_posix(), [])
        if not path.stem.startswith("__"):
            modules.append(path.stem)
    return folders


def _with_parts(text: str) -> str:
    """Return the architecture page with its parts in today's order; a new one is described by its own docstring."""
    said = parts_drawn(text)
    width = max(map(len, PARTS)) + 2
    rows = [f"{part:<{width}}{said.get(part) or _purpose(f'autodrill.{part}')}" for part in reversed(PARTS)]
    return _with_block(text, "parts", rows)


def _with_files(text: str) -> str:
    """Return the architecture page with today's files: known ones keep their place, new ones come last."""
    drawn, today = files_drawn(text), files_of_the_package()
    order = [*(folder for folder in drawn if folder in today), *(folder for folder in today if folder not in drawn)]
    rows = []
    for folder in order:
        words, listed = drawn.get(folder) or (_purpose(folder.replace("/", ".")), [])
        names = [name for name in listed if name in today[folder]]
        names += [name for name in today[folder] if name not in listed]
        rows.append(f"{folder}/  {words}".rstrip())
        rows += textwrap.wrap(" ".join(names), _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return _with_block(text, "files", rows)


def _with_block(text: str, mark: str, rows: list[str]) -> str:
    block, lines = block_after(text, mark), text.splitlines()
    lines[block.line - 1 : block.line - 1 + block.text.count("\n")] = rows
    return "\n".join(lines) + "\n"


def _purpose(module: str) -> str:
    """The first line of a package's docstring."""
    return (import_module(module).__doc__ or "").partition("\n")[0].rstrip(".")


# Renewing


def _with_output(text: str, printed: dict[int, str]) -> str:
    """Return a document with other output below its commands."""
    lines = text.splitlines()
    for block in reversed(parse(text)):
        if block.language == "console":
            for shown in reversed(shown_in(block)):
                now = [line.rstrip() for line in printed.get(shown.line, "").splitlines()]
                same = [normalised(line) for line in now] == [normalised(line) for line in shown.output]
                if shown.output and not same:
                    lines[shown.line : shown.line + len(shown.output)] = now
    return "\n".join(lines) + "\n"


def renewed(document: Path) -> str:
    """Return a document as it should be today."""
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        text = _with_output(text, follow(parse(text), Path(folder)))
    if document == README:
        text = _with_commands(text)
    if document == ARCHITECTURE:
        text = _with_files(_with_parts(text))
    return text


def main() -> None:
    for document in DOCUMENTS:
        document.write_text(renewed(document), encoding="utf-8")


if __name__ == "__main__":
    main()
