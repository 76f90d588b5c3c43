from __future__ import annotations

from pathlib import Path

import pytest

from autodrill.drills.solution_file import authored
from autodrill.errors import FileError, InternalError

HERE = Path(__file__)


def test_authored_converts_exceptions_with_their_line() -> None:
    line = test_authored_converts_exceptions_with_their_line.__code__.co_firstlineno + 3
    with pytest.raises(InternalError) as caught, authored(HERE, "forward"):
        raise ValueError("shapes do not match")
    assert caught.value.message == (
        f"the exercise's `forward` raises ValueError: shapes do not match (test_authored.py, line {line})"
    )


def test_authored_names_no_line_for_code_of_autodrill(tmp_path: Path) -> None:
    with pytest.raises(InternalError) as caught, authored(tmp_path / "mine.py", "forward"):
        raise ValueError("shapes do not match")
    assert (
        str(caught.value)
        == "what autodrill derives from the exercise's `forward` raises ValueError: shapes do not match"
    )


def test_authored_keeps_autodrill_errors() -> None:
    with pytest.raises(FileError, match="gone"), authored(HERE, "forward"):
        raise FileError("gone")
