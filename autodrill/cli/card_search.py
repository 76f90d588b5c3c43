"""`autodrill quiz --search TEXT`: the questions that contain a text, with their ids."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from autodrill.bank.search import search
from autodrill.cli.options import OutputFormat
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.bank.questions import Question
    from autodrill.practice.session import Filter

__all__ = ["list_found"]


def list_found(bank: Sequence[Question], only: Filter, text: str, limit: int, output_format: OutputFormat) -> None:
    """List the questions that contain every word of a text, best first.

    Raises:
        UsageError: The text has no word.
    """
    if not text.strip():
        raise UsageError("`--search` has no text to look for", hint="autodrill quiz --search softmax")
    found = [question for question in search(bank, text) if only.admits(question)]
    if output_format is OutputFormat.JSON:
        from autodrill.render.card_json import as_json
        from autodrill.render.document import write_document

        write_document("quiz", cards=[as_json(question, None) for question in found[:limit]])
        return
    from autodrill.render.plain import Paint, ascii_only, clean, fit, in_ascii, say, width_of

    paint, width = Paint.for_stream(sys.stdout, os.environ), width_of(sys.stdout, os.environ)
    for question in found[:limit]:
        say(f"{paint(question.id, 'bold')}  {question.difficulty} {question.kind}")
        say("  " + fit(in_ascii(question.title) if ascii_only(sys.stdout) else question.title, width - 2))
    if not found:
        say(f"no question contains `{clean(text)}`; try fewer or other words", err=True)
        return
    left = len(found) - limit
    if left > 0:
        say(f"{left} more: add `--limit {len(found)}`", err=True)
    names = ",".join(question.id for question in found[:3])
    say(f"ask some of them: autodrill quiz --ids {names}", err=True)
