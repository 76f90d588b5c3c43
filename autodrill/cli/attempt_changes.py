"""`autodrill history NAME --diff`: how the code changed between two attempts."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from autodrill.cli.options import OutputFormat
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from autodrill.practice.log_records import Attempt

__all__ = ["show_changes"]


def show_changes(identity: str | None, between: str | None, output_format: OutputFormat) -> None:
    """Show how the code changed between two attempts at an exercise.

    Args:
        identity: The exercise's id.
        between: Two numbers of attempts, such as `1,4`; None for the last attempt and the last different one before.
        output_format: The output format.

    Raises:
        UsageError: No exercise is named, or there are no two such attempts.
    """
    from autodrill.cli.overview import history_if_any, refuse_unknown

    if identity is None:
        raise UsageError("`--diff` needs an exercise", hint="`autodrill history` lists your attempts with their ids")
    with history_if_any() as store:
        made = store.attempts(identity) if store else []
    if not made:
        refuse_unknown(identity)
        raise UsageError(
            f"there is no attempt at `{identity}` yet", hint=f"`autodrill open {identity}` writes the stub"
        )
    first, second = _numbers(between, len(made)) if between is not None else _last_two(identity, made)
    old, new = made[first - 1], made[second - 1]
    if output_format is OutputFormat.JSON:
        from autodrill.render.attempt_diff import attempt_diff
        from autodrill.render.document import write_document

        facts = [
            {"attempt": number, "at": tried.at.isoformat(), "verdict": tried.verdict, "source": tried.source}
            for number, tried in ((first, old), (second, new))
        ]
        write_document("history", id=identity, attempts=facts, diff=attempt_diff(old, new))
        return
    from autodrill.cli.pager import page
    from autodrill.render.attempt_diff import diff_lines
    from autodrill.render.plain import Paint

    page(diff_lines((first, old), (second, new), Paint.for_stream(sys.stdout, os.environ)))


def _numbers(between: str, count: int) -> tuple[int, int]:
    words = [word.strip() for word in between.split(",")]
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        raise UsageError(f"`{between}` is not a pair of attempts", hint="write two numbers, as in `--between 1,4`")
    first, second = map(int, words)
    if not (1 <= first <= count and 1 <= second <= count):
        raise UsageError(
            f"there is no attempt {first if not 1 <= first <= count else second}",
            hint=f"the attempts are numbered from 1 to {count}",
        )
    return first, second


def _last_two(identity: str, made: list[Attempt]) -> tuple[int, int]:
    earlier = [number for number, tried in enumerate(made, 1) if tried.source != made[-1].source]
    if not earlier:
        raise UsageError(
            f"there is nothing to compare: all attempts at `{identity}` have the same code",
            hint="change the file and check it again",
        )
    return earlier[-1], len(made)
