"""Builders of question files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FRONT = {
    "id": '"sum-rule"',
    "kind": '"recall"',
    "difficulty": '"easy"',
    "minutes": "2",
    "topics": '["graph"]',
    "sources": '["001#Q1"]',
}

TITLES = {
    "Key_points": "Key points",
    "Common_wrong_answers": "Common wrong answers",
    "You_will_often_read": "You will often read",
    "Follow_ups": "Follow-ups",
}

SECTIONS = {
    "Answer": "Contributions add.",
    "Key points": "- one\n- two\n- three",
    "Common wrong answers": '- **"the last one wins"**: it does not.',
    "Follow-ups": "- Why? → The chain rule.\n- And then?",
}


def question_text(*, ask: str = "", table: str = "", **changes: str | None) -> str:
    """Write one question. A change sets a field (lower case) or a section (as in TITLES); None removes it."""
    fields = {**FRONT, **{name: value for name, value in changes.items() if name[0].islower()}}
    sections = {**SECTIONS, **{TITLES.get(name, name): text for name, text in changes.items() if name[0].isupper()}}
    front = "\n".join(f"{name} = {value}" for name, value in fields.items() if value is not None)
    body = "\n\n".join(f"### {name}\n{text}" for name, text in sections.items() if text is not None)
    return f"+++\n{front}\n{table}\n+++\n## What happens at a fork?\n\n{ask}\n\n{body}\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write question texts into one file and return its path."""

    def write(*texts: str, name: str = "graph.md") -> Path:
        path = tmp_path / name
        path.write_text("\n".join(texts), encoding="utf-8")
        return path

    return write


@pytest.fixture
def text() -> Callable[..., str]:
    """The builder of the text of one question."""
    return question_text
