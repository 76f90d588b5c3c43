"""The README cannot rot: its commands run, its outputs are real, its exercise is proved, its tables are whole."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from autodrill import drills
from autodrill.cli.exits import Exit
from autodrill.drills import header, solution_file
from autodrill.drills.exercise import Difficulty, Kind
from tests.readme import (
    Block,
    Shown,
    command_rows,
    environment,
    follow,
    levelled,
    parse,
    shown_in,
    table_of_commands,
)

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURES: dict[str, Any] = runpy.run_path(str(ROOT / "pictures" / "make.py"))


BLOCKS = parse(README)
PYTHON = [block for block in BLOCKS if block.language == "python"]
SHOWN = [shown for block in BLOCKS if block.language == "console" for shown in shown_in(block)]
STALE = "`python -m tests.readme` renews the README; look at what it changed"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, str]]:
    """The folder of somebody who did everything the README says, and what each line of it printed."""
    folder = tmp_path_factory.mktemp("readme")
    return folder, follow(BLOCKS, folder)


@pytest.mark.parametrize("shown", [s for s in SHOWN if s.output], ids=lambda s: f"{s.line}:{s.command}")
def test_what_the_readme_shows_is_what_the_command_prints(shown: Shown, course: tuple[Path, dict[int, str]]) -> None:
    printed = [levelled(line) for line in course[1][shown.line].splitlines()]
    expected = [levelled(line) for line in shown.output]

    assert printed == expected, f"README.md:{shown.line}: {STALE}"


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
    assert table_of_commands(README) == command_rows(), STALE


def test_every_exit_code_stands_in_the_readme() -> None:
    table = README.partition("| exit code |")[2].partition("\n\n")[0]

    assert re.findall(r"(?m)^\| (\d+) \|", table) == [str(int(code)) for code in Exit]


def test_the_words_an_exercise_is_written_with_stand_in_the_readme() -> None:
    form = README.partition("### The form of an exercise")[2].partition("\n## ")[0]
    settings = re.findall(
        r"namespace(?:\.get\(|\[)\"([A-Z_]+)\"", Path(solution_file.__file__).read_text(encoding="utf-8")
    )
    classes = {"Bound", "Given", "Mistake", "Scenario"}  # what the functions make; nobody writes them
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
