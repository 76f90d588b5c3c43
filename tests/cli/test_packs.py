"""`--pack` on every command that takes the name of an exercise."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from autodrill.cli.app import COMMANDS
from autodrill.cli.options import ExerciseName, Packs, WorkName

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Pack, Run

RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"
OTHERS = {"list", "next", "history", "predict"}
"""Commands that name exercises without such an argument."""


def parameters(command: str) -> dict[str, object]:
    function = getattr(import_module(f"autodrill.cli.{COMMANDS[command].module}"), COMMANDS[command].function)
    return {name: parameter.annotation for name, parameter in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize("command", COMMANDS)
def test_command_that_takes_a_name_takes_packs(command: str) -> None:
    found = parameters(command)
    takes = any(annotation in {ExerciseName, WorkName} for annotation in found.values())
    assert (Packs in found.values()) == (takes or command in OTHERS)


def test_pack_option_leads_from_show_to_solution(run: Run, pack: Pack, here: Path) -> None:
    pack.add()
    option = ("--pack", str(pack.root))
    again = f" --pack {pack.root}"
    for words, told in (
        (("list", "--track", "demo"), "autodrill open add_backward"),
        (("show", "cube"), "then autodrill check cube_backward"),
        (("check", "cube"), "`autodrill open cube_backward"),
        (("open", "cube", "--here", "--no-editor"), "autodrill check cube_backward"),
        (("check", "cube"), "help: autodrill hint cube_backward"),
        (("hint", "cube"), "more: autodrill hint cube_backward"),
        (("solution", "cube"), "try `autodrill hint cube_backward"),
        (("predict", "cube"), "next: autodrill open cube_backward"),
        (("reset", "cube"), "the stub is restored"),
    ):
        done = run(*words, *option, COLUMNS="300")
        assert told in done.stdout + done.stderr
        assert (again in done.stdout + done.stderr) == (words[0] != "reset"), words
    (here / "cube_backward.py").write_text(RIGHT.replace(" * g", ""), encoding="utf-8")
    assert again in run("check", "cube", *option).stdout, "the replay line"
    (here / "cube_backward.py").write_text(RIGHT, encoding="utf-8")
    assert run("check", "cube", *option).returncode == 0
    assert run("solution", "cube", *option).returncode == 0
    assert "pass" in run("history", "cube_backward", *option).stdout
    assert run("next", *option).returncode == 0


PRINTS = ("def forward(x):\n", "print('LOADED')\n\n\ndef forward(x):\n    print('CALLED')\n")


@pytest.mark.parametrize("command", ["check", "grade", "verify", "hint"])
def test_pack_that_prints_leaves_the_document_whole(run: Run, pack: Pack, here: Path, command: str) -> None:
    pack.add(solution=PRINTS)
    (here / "cube_backward.py").write_text(RIGHT, encoding="utf-8")
    files = ("cube_backward.py",) if command == "grade" else ()
    done = run(command, "cube_backward", *files, "--pack", str(pack.root), "--output-format", "json")
    assert json.loads(done.stdout)["command"] == command
    assert done.returncode == 0
    assert "LOADED" in done.stderr
    assert ("CALLED" in done.stderr) == (command != "hint")


def test_missing_pack_is_an_error_with_a_hint(run: Run, tmp_path: Path) -> None:
    done = run("show", "cube", "--pack", str(tmp_path))
    assert done.returncode == 2
    assert "is not a pack: it has no folder `exercises`" in done.stderr
