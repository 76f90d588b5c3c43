from __future__ import annotations

import pytest

from autodrill import errors
from autodrill.errors import AutodrillError, ContentError, FileError, Problem, UnknownNameError, UsageError


def test_docstring_draws_the_tree_of_errors() -> None:
    drawn = errors.__doc__ or ""
    kinds = [getattr(errors, name) for name in errors.__all__ if name != "Problem"]
    assert all(issubclass(kind, AutodrillError) and kind.__name__ in drawn for kind in kinds)
    assert issubclass(UnknownNameError, UsageError)
    assert issubclass(FileError, UsageError)


def test_error_has_a_hint_and_a_place() -> None:
    error = FileError("`x.py` cannot be read", hint="`autodrill open x`", where="x.py:3")
    assert (str(error), error.message, error.hint, error.where) == (
        ("`x.py` cannot be read", "`x.py` cannot be read", "`autodrill open x`", "x.py:3")
    )


@pytest.mark.parametrize(
    ("suggestions", "given", "hint"),
    [((), None, None), (("a", "b"), None, "did you mean `a` or `b`?"), (("a",), "type less", "type less")],
)
def test_unknown_name_suggests_names_unless_given_a_hint(
    suggestions: tuple[str, ...], given: str, hint: str | None
) -> None:
    error = UnknownNameError("exercise", "x", suggestions, hint=given)
    assert (error.message, error.name, error.suggestions, error.hint) == (
        ("no exercise named `x`", "x", suggestions, hint)
    )


def test_content_error_lists_problems_as_file_and_line() -> None:
    problems = [Problem("a.py", 3, "no hint"), Problem("b.py", 1, "no task")]
    error = ContentError(problems)
    assert error.problems == tuple(problems)
    assert str(error) == "a.py:3: no hint\nb.py:1: no task"
