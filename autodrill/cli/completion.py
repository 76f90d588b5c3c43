"""What the shell completes: exercises, ids, topics, tracks, paths and concepts. Each call answers in 0.1 s."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer  # noqa: TC002  typer evaluates the annotations at run time

if TYPE_CHECKING:
    from autodrill.drills.library import Library

__all__ = [
    "NO_PATH",
    "complete_concepts",
    "complete_ids",
    "complete_names",
    "complete_paths",
    "complete_question_ids",
    "complete_topics",
    "complete_tracks",
]

NO_PATH = "none"
"""The value of `quiz --path` that stops following a path."""


def _library(context: typer.Context) -> Library:
    """Return the exercises that the command line being completed can name."""
    from autodrill.drills.library import Library

    named = context.params.get("pack") or ()  # the words as typed
    return Library.open(map(Path, [named] if isinstance(named, str) else named))


def complete_names(context: typer.Context, incomplete: str) -> list[str]:
    """Return the exercise names that start with `incomplete`, for shell completion; no file is read."""
    return sorted(name for name in _library(context).paths if name.startswith(incomplete))


def complete_ids(context: typer.Context, incomplete: str) -> list[str]:
    """Return the ids of questions and exercises that start with `incomplete`, for shell completion."""
    return sorted([*complete_question_ids(incomplete), *complete_names(context, incomplete)])


def complete_question_ids(incomplete: str) -> list[str]:
    """Return the ids of questions that start with what follows the last comma of `incomplete`, after what precedes."""
    from autodrill.bank.question_index import question_ids

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in sorted(question_ids()) if name.startswith(last)]


def complete_topics(incomplete: str) -> list[str]:
    """Return the topics of questions and exercises that start with `incomplete`, for shell completion."""
    from autodrill.bank.question_index import topic_names

    return sorted(name for name in topic_names() if name.startswith(incomplete))


def complete_tracks(context: typer.Context, incomplete: str) -> list[str]:
    """Return the tracks of exercises that start with `incomplete`, for shell completion; no file is read."""
    return sorted({p.parent.name for p in _library(context).paths.values() if p.parent.name.startswith(incomplete)})


def complete_paths(incomplete: str) -> list[str]:
    """Return the names of learning paths that start with `incomplete`, for shell completion."""
    from autodrill.bank.question_index import path_names

    return [name for name in (*path_names(), NO_PATH) if name.startswith(incomplete)]


def complete_concepts(incomplete: str) -> list[str]:
    """Return the concepts of generated questions that start with `incomplete`, for shell completion."""
    from autodrill.bank.generated import GENERATORS

    return [name for name in (*GENERATORS, "all") if name.startswith(incomplete)]
