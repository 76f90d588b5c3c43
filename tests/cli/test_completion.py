"""What Tab offers in bash, zsh and fish, through the protocol of each shell."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_app import LOADED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Pack

SHELLS = ("bash", "zsh", "fish")


def offered(line: str, shell: str, folder: Path) -> list[str]:
    """What a shell is told to offer for the last word of a line; no heavy module may be loaded for it."""
    words = line.split(" ")
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    environment = os.environ | asked | {"_AUTODRILL_COMPLETE": f"complete_{shell}"}
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stderr.splitlines()[-1])[1] == []
    if shell == "zsh":
        return re.findall(r'^(?:_arguments .\*: :\(\()?"([^"]*)"', done.stdout, re.MULTILINE)
    return [entry.split("\t")[0] for entry in done.stdout.split("\n") if entry]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("autodrill quiz --topic s", ["shapes", "softmax", "sparse"]),
        ("autodrill quiz --path n", ["night-before", "none"]),
        ("autodrill quiz --ids why-acyclic,jax-g", ["why-acyclic,jax-grad-contract"]),
        ("autodrill quiz --generated m", ["modes", "memory"]),
        ("autodrill list --topic post", ["post-training"]),
        ("autodrill list --track im", ["implicit"]),
        ("autodrill list --state ", ["new", "tried", "passed", "due"]),
        ("autodrill list --t", ["--track", "--topic", "--todo"]),
        ("autodrill history mul-b", ["mul-backward-code"]),
        ("autodrill check mul_b", ["mul_backward", "mul_broadcast_backward"]),
        ("autodrill li", ["list", "limit"]),
    ],
)
def test_shell_completes(shell: str, line: str, names: list[str], tmp_path: Path) -> None:
    assert offered(line, shell, tmp_path) == names


def test_completion_knows_the_pack_of_the_line(pack: Pack, tmp_path: Path) -> None:
    pack.add()
    assert offered(f"autodrill hint --pack {pack.root} cube", "bash", tmp_path) == ["cube_backward"]
    assert offered("autodrill hint cube", "bash", tmp_path) == []
    assert offered(f"autodrill hint --pack {tmp_path / 'none'} cube", "bash", tmp_path) == []
