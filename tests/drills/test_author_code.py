from __future__ import annotations

from pathlib import Path

import pytest

from autodrill.drills.author_code import authored
from autodrill.errors import FileError, InternalError

HERE = Path(__file__)


def test_what_an_author_s_function_raises_is_an_internal_error_with_its_place() -> None:
    line = test_what_an_author_s_function_raises_is_an_internal_error_with_its_place.__code__.co_firstlineno + 3
    with pytest.raises(InternalError) as caught, authored(HERE, "forward"):
        raise ValueError("shapes do not match")
    assert caught.value.message == (
        f"the exercise's `forward` raises ValueError: shapes do not match (test_author_code.py, line {line})"
    )


def test_an_error_that_says_itself_whose_fault_it_is_stays_as_it_is() -> None:
    with pytest.raises(FileError, match="gone"), authored(HERE, "forward"):
        raise FileError("gone")
