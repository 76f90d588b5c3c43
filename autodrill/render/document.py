"""The JSON output of commands: one versioned document."""

from __future__ import annotations

import json
import sys
from typing import Any

from autodrill.render.plain import write

__all__ = ["SCHEMA", "document", "write_document"]

SCHEMA = 1


def document(command: str, **fields: Any) -> dict[str, Any]:
    """Return a command's answer as a JSON object. Names are snake_case; new ones are added, none is removed."""
    return {"schema": SCHEMA, "command": command, **fields}


def write_document(command: str, **fields: Any) -> None:
    """Write a command's answer to standard output."""
    text = json.dumps(document(command, **fields), ensure_ascii=True, indent=2, allow_nan=False)
    write(sys.stdout, text + "\n")
