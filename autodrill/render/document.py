"""The JSON output of commands: one versioned document."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from autodrill.render.plain import write

__all__ = ["SCHEMA", "as_json", "document", "write_document"]

SCHEMA = 1
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def document(command: str, **fields: Any) -> dict[str, Any]:
    """Return a command's answer as a JSON object. Names are snake_case; new ones are added, none is removed."""
    return {"schema": SCHEMA, "command": command, **fields}


def write_document(command: str, **fields: Any) -> None:
    """Write a command's answer to standard output."""
    write(sys.stdout, as_json(document(command, **fields), indent=2) + "\n")


def as_json(value: Any, *, indent: int | None = None) -> str:
    r"""Return JSON in ASCII that every parser reads.

    Many parsers refuse half of a surrogate pair, which a file name or a submission's text can contain. It becomes the
    text `\ud800`.
    """
    return _NOT_ASCII.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False))


def _escaped(sign: re.Match[str]) -> str:
    escape = json.dumps(sign[0])[1:-1]
    return f"\\{escape}" if "\ud800" <= sign[0] <= "\udfff" else escape
