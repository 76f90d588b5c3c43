"""`watch` on a pipe: a line for each verdict."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Pack, Run

RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"
WRONG = "def cube_backward(g, x):\n    return 3 * x * g\n"


@contextmanager
def watching(here: Path, home: Path, pack: Pack, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "autodrill", "watch", *words],
        cwd=here,
        env=environment(home, AUTODRILL_PACKS=str(pack.root)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_watch_prints_a_line_for_each_verdict(here: Path, home: Path, pack: Pack) -> None:
    pack.add()
    path = here / "cube_backward.py"
    path.write_text(WRONG, encoding="utf-8")
    with watching(here, home, pack) as process:
        first = line(process)
        assert first[2] == first[5] == ":"
        assert first[9:].startswith("✗ FAIL  cube_backward: ")
        path.write_text(RIGHT, encoding="utf-8")
        passed = line(process)[9:]
        assert passed.startswith("✓ PASS  cube_backward: ")
        path.unlink()
        assert "error: `cube_backward.py` cannot be read: No such file or directory" in line(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


def test_watch_prints_a_json_document_a_line(here: Path, home: Path, pack: Pack) -> None:
    pack.add()
    (here / "cube_backward.py").write_text(WRONG, encoding="utf-8")
    with watching(here, home, pack, "cube_backward.py", "--seed", "7", "--output-format", "json") as process:
        document = json.loads(line(process))
    assert (document["schema"], document["command"]) == (1, "watch")
    assert (document["report"]["verdict"], document["report"]["seed"]) == ("fail", 7)


def test_watch_ends_when_its_reader_has_gone(here: Path, home: Path, pack: Pack) -> None:
    pack.add()
    path = here / "cube_backward.py"
    path.write_text(WRONG, encoding="utf-8")
    with watching(here, home, pack) as process:
        assert process.stdout is not None
        line(process)
        process.stdout.close()
        path.write_text(RIGHT, encoding="utf-8")
        assert process.wait(30) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [(("./none.py",), "there is no file `none.py`"), (("zzz",), "no exercise named `zzz`")],
)
def test_watch_refuses_what_does_not_exist(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("watch", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "hint: " in done.stderr
