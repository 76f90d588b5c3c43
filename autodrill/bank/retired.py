"""Retired questions: they are not asked any more, but a learner's history still shows them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.question_index import text_of
from autodrill.folders import content_root

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Retired", "retired_questions"]


@dataclass(frozen=True, slots=True)
class Retired:
    """A question that is not asked any more.

    Attributes:
        title: The question.
        instead: The id of a question that covers the same, or "".
    """

    title: str
    instead: str

    @property
    def notice(self) -> str:
        """What to tell a learner who asks for the question."""
        return "it is not asked any more" + (f"; `{self.instead}` covers it" if self.instead else "")


def retired_questions(file: Path | None = None) -> Mapping[str, Retired]:
    """Return the retired questions by id.

    Args:
        file: The TOML file; by default the one that ships with autodrill.

    Raises:
        FileError: The file cannot be read.
    """
    table = tomllib.loads(text_of(content_root() / "questions" / "retired.toml" if file is None else file))
    return {identity: Retired(entry["title"], entry.get("instead", "")) for identity, entry in table.items()}
