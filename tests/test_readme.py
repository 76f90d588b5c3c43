"""The README cannot rot: its commands run, its outputs are real, its exercise is proved, its tables are whole."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from dataclasses import dataclass
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from autodrill import drills
from autodrill.cli.app import COMMANDS
from autodrill.cli.exits import Exit
from autodrill.drills import header, solution_file
from autodrill.drills.exercise import Difficulty, Kind

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURES: dict[str, Any] = runpy.run_path(str(ROOT / "pictures" / "make.py"))


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


def blocks() -> list[Block]:
    found = re.finditer(r"(?m)(?:^(?P<comment><!-- .* -->)\n)?^```(?P<language>\w*)\n(?P<text>(?s:.*?))^```$", README)
    return [
        Block(m["language"], m["text"], README[: m.start("text")].count("\n") + 1, m["comment"] or "") for m in found
    ]


def shown_in(block: Block) -> list[Shown]:
    shown: list[Shown] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            shown.append(Shown(line[2:], (), number))
        else:
            assert shown, f"README.md:{number}: output stands before any command"
            shown[-1] = Shown(shown[-1].command, (*shown[-1].output, line), shown[-1].line)
    return shown


BLOCKS = blocks()
PYTHON = [block for block in BLOCKS if block.language == "python"]
SHOWN = [shown for block in BLOCKS if block.language == "console" for shown in shown_in(block)]


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


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, str]]:
    """The folder of somebody who did everything the README says, in order, and what each line of it printed."""
    folder = tmp_path_factory.mktemp("readme")
    variables = environment(folder / "home")
    printed: dict[int, str] = {}
    for block in BLOCKS:
        if block.file is not None:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for shown in shown_in(block):
                name, _, value = shown.command.removeprefix("export ").partition("=")
                if shown.command.startswith("export "):
                    variables[name] = value
                    continue
                ran = subprocess.run(
                    ["bash", "-c", shown.command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False,
                )  # fmt: skip
                printed[shown.line] = ran.stdout
    return folder, printed


def levelled(line: str) -> str:
    """A line without what differs from run to run: times, seeds, and spaces at its end."""
    return re.sub(r"\d+\.\d+ s\b", "TIME", re.sub(r"seed \d+", "seed N", line)).rstrip()


@pytest.mark.parametrize("shown", [s for s in SHOWN if s.output], ids=lambda s: f"{s.line}:{s.command}")
def test_what_the_readme_shows_is_what_the_command_prints(shown: Shown, course: tuple[Path, dict[int, str]]) -> None:
    printed = [levelled(line) for line in course[1][shown.line].splitlines()]
    expected = [levelled(line) for line in shown.output]
    if "..." in expected:  # stands for any lines
        at = expected.index("...")
        kept = len(expected) - at - 1
        printed = [*printed[:at], "...", *printed[len(printed) - kept :]]

    assert printed == expected, f"README.md:{shown.line}"


@pytest.mark.parametrize("block", PYTHON, ids=lambda b: f"{b.line}")
def test_every_python_block_runs_and_prints_what_its_comments_say(block: Block, tmp_path: Path) -> None:
    promised = re.findall(r"(?m)^print\(.*\)  # ([^\s:]+)", block.text)
    command = [sys.executable, "-W", "error", "-c", block.text]

    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == promised


def test_a_broken_solution_is_told_with_the_line_the_readme_names(course: tuple[Path, dict[int, str]]) -> None:
    folder, _ = course
    said = re.search(r"`(?P<path>course/\S+):(?P<line>\d+): (?P<words>[^`]+) \.\.\.`", README)
    assert said
    path = folder / said["path"]
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("return dx, -dx", "return dx, dx", 1), encoding="utf-8")
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "autodrill", "verify", "--pack", "course"],
            cwd=folder, env=environment(folder / "home"), capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
    finally:
        path.write_text(whole, encoding="utf-8")

    assert ran.returncode == Exit.FAILED
    assert f"{said['path']}:{said['line']}: {said['words']}" in ran.stdout


def test_the_table_of_commands_is_the_programs_own() -> None:
    rows = []
    for name, command in COMMANDS.items():
        function = getattr(import_module(f"autodrill.cli.{command.module}"), command.function)
        rows.append(f"| `{name}` | {command.panel.removeprefix('For the ')} | {function.__doc__.splitlines()[0]} |")
    table = README.partition("<!-- commands:")[2].partition("\n\n")[0].splitlines()[3:]

    assert table == rows, "the table in README.md must read:\n" + "\n".join(rows)


def test_every_exit_code_stands_in_the_readme() -> None:
    table = README.partition("| exit code |")[2].partition("\n\n")[0]

    assert re.findall(r"(?m)^\| (\d+) \|", table) == [str(int(code)) for code in Exit]


def test_the_words_an_exercise_is_written_with_stand_in_the_readme() -> None:
    form = README.partition("### The form of an exercise")[2].partition("\n## ")[0]
    settings = re.findall(
        r"namespace(?:\.get\(|\[)\"([A-Z_]+)\"", Path(solution_file.__file__).read_text(encoding="utf-8")
    )
    classes = {"Given", "Mistake", "Scenario"}  # what the functions make; nobody writes them
    words = {*header._STRINGS, *header._LISTS, "minutes", *Kind, *Difficulty, *settings, *solution_file._PARTS, "drive"}
    words |= {name for name in drills.__all__ if name not in classes}

    assert "HINTS" in settings
    assert {word for word in words if not re.search(rf"[`@]{word}[`(:]", form)} == set()


def test_every_environment_variable_the_program_reads_stands_in_the_readme() -> None:
    internal = {"AUTODRILL_COMPLETE", "AUTODRILL_RUN"}  # the shell's completion, and the mark on a candidate's process
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "autodrill").rglob("*.py"))
    named = set(re.findall(r"AUTODRILL_[A-Z_]+[A-Z]", source)) - internal

    assert named
    assert {name for name in named if f"`{name}`" not in README} == set()


def test_links_and_pictures_exist() -> None:
    targets = [t for t in re.findall(r"\]\(([^)#\s]+)\)", README) if "://" not in t]

    assert [t for t in targets if not (ROOT / t).exists()] == []
    assert {f"pictures/{p.name}.svg" for p in PICTURES["PICTURES"]} <= set(targets)


def test_the_parts_of_the_repository_it_names_exist() -> None:
    named = re.findall(r"(?<![\w/.])(?:autodrill|tests|pictures)/[\w/.]*", README)

    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("picture", PICTURES["PICTURES"], ids=lambda p: p.name)
def test_a_picture_shows_what_the_commands_show_today(picture: Any) -> None:
    today = PICTURES["draw"](picture, PICTURES["record"](picture))
    saved = (ROOT / "pictures" / f"{picture.name}.svg").read_text(encoding="utf-8")

    assert words_of(saved) == words_of(today), "run `python pictures/make.py` and look at the pictures"


def words_of(svg: str) -> str:
    """The text of a picture; where a colour begins is a matter of the highlighter's version."""
    return "".join(unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", svg)).replace(" ", "")


def test_ci_runs_the_readmes_test_command(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "run"
    script.write_bytes((ROOT / ".ci" / "run").read_bytes())
    script.chmod(0o755)
    (command,) = (block.text for block in BLOCKS if block.comment == "<!-- test command -->")
    calls = [line.strip().removesuffix("&&").strip() for line in command.splitlines()]
    # In this copy the commands only say that they were called, and the last one fails.
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "called $*"\ncase "$*" in *pytest*) exit 7;; esac\n', encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "README.md").write_text(README, encoding="utf-8")

    ran = subprocess.run([str(script)], cwd="/", capture_output=True, text=True, check=False)

    assert ran.returncode == 7, ran.stderr
    expected = [call.replace(".venv/bin/python", "called", 1) for call in calls[1:]]
    assert [line for line in ran.stdout.splitlines() if line.startswith("called")] == expected
