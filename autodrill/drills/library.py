"""The library: the exercises of all open packs, found by id or by the beginning of an id."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.errors import ContentError, FileError, Problem, UnknownNameError
from autodrill.folders import content_root, visible_files

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from autodrill.drills.exercise import Drill, Exercise, Heading

__all__ = ["Library", "suggest"]


_TOPICS_LINE = re.compile(r'^# topics = \["([^"\\]+)"', re.MULTILINE)


class Library:
    """The exercises of one or more packs; a pack is a folder with `exercises/` and `solutions/`.

    Args:
        roots: The folders, the shipped one first.
        packs: Those of them that a command line named.
    """

    def __init__(self, roots: Sequence[Path], packs: Sequence[Path] = ()) -> None:
        self.roots = tuple(roots)
        self.packs = tuple(packs)
        self._read: dict[str, Exercise] = {}

    @classmethod
    def open(cls, packs: Iterable[Path] = (), environ: Mapping[str, str] = os.environ) -> Library:
        """Open the shipped pack, the packs in `AUTODRILL_PACKS`, and `packs`. A pack named twice is opened once.

        Raises:
            FileError: The folder of a pack has no `exercises`.
        """
        packs = tuple(packs)
        named = [Path(p) for p in environ.get("AUTODRILL_PACKS", "").split(os.pathsep) if p]
        roots = list({root.resolve(): root for root in (content_root(), *named, *packs)}.values())
        for root in roots[1:]:
            if not (root / "exercises").is_dir():
                raise FileError(
                    f"`{root}` is not a pack: it has no folder `exercises`",
                    hint="a pack is a folder with `exercises/TRACK/ID.py` and `solutions/TRACK/ID.py`",
                )
        return cls(roots, packs)

    @cached_property
    def paths(self) -> dict[str, Path]:
        """The paths of all exercise files by id; no file is read.

        Raises:
            ContentError: Files share an id; the error lists every such pair.
        """
        found: dict[str, Path] = {}
        problems = []
        for path in (p for root in self.roots for p in visible_files(root / "exercises", ".py")):
            if path.stem in found:
                problems.append(
                    Problem(str(path), 1, f"`{path.stem}` is already defined in {found[path.stem]}: rename one of them")
                )
            found.setdefault(path.stem, path)
        if problems:
            raise ContentError(problems)
        return found

    def headings(self) -> list[Heading]:
        """Read the header of every exercise, and sort them by `in_learning_order`.

        Raises:
            ContentError: At least one header is malformed; the error lists every problem of every header.
        """
        from autodrill.drills.exercise import load_headings

        return in_learning_order(load_headings(self.paths.values()))

    def first_topics(self, names: Container[str] | None = None) -> dict[str, str]:
        """Return the first topic of exercises by id, without parsing their headers where one line has it.

        Args:
            names: The exercises that are read; by default all.

        Raises:
            ContentError: As `headings`.
        """
        wanted = {name: path for name, path in self.paths.items() if names is None or name in names}
        return {name: topics[0] for name, path in wanted.items() if (topics := _topics_of(path))}

    def find(self, name: str) -> Exercise:
        """Return the exercise with the id `name`, or the only one whose id begins with it. Each file is read once.

        Raises:
            UnknownNameError: None or several match; the error has the nearest ids.
            ContentError: The file is malformed.
        """
        name = name.removesuffix(".py")
        matches = [name] if name in self.paths else sorted(i for i in self.paths if name and i.startswith(name))
        if len(matches) == 1:
            (found,) = matches
            if found not in self._read:
                from autodrill.drills.exercise import load_exercise

                self._read[found] = load_exercise(self.paths[found])
            return self._read[found]
        if matches:
            listed = ", ".join(f"`{m}`" for m in matches)
            raise UnknownNameError("exercise", name, matches, hint=f"several exercises begin with `{name}`: {listed}")
        nearest = suggest(name, self.paths)
        hint = None if nearest else "`autodrill list` lists all exercises"
        error = UnknownNameError("exercise", name, nearest, hint=hint)
        if len(self.roots) == 1:
            between = " " if nearest else "; "
            error.hint = f"{error.hint}{between}to use a pack, add `--pack` and its folder"
        raise error

    def drill(self, exercise: Exercise) -> Drill:
        """Read the solution side of an exercise, and return the exercise with it.

        Raises:
            ContentError: The solution file is missing or malformed; the error lists every problem.
        """
        from autodrill.drills.exercise import Drill, kind_named
        from autodrill.drills.solution_file import load_solution

        return Drill(exercise, load_solution(exercise), kind_named(exercise.kind))


def _topics_of(path: Path) -> Sequence[str]:
    """Return the topics of an exercise, the first at least."""
    try:
        line = _TOPICS_LINE.search(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        line = None  # the full reader says why
    if line:
        return line.groups()
    from autodrill.drills.exercise import load_headings

    return load_headings([path])[0].topics


def in_learning_order(exercises: Sequence[Heading]) -> list[Heading]:
    """Sort exercises by difficulty, minutes and track, but each after its prerequisites."""
    rank = {"easy": 0, "medium": 1, "hard": 2, "expert": 3}
    waiting = sorted(exercises, key=lambda e: (rank[e.difficulty], e.minutes, e.track, e.id))
    known = {e.id for e in exercises}
    done: list[Heading] = []
    placed: set[str] = set()
    while waiting:
        ready = next((e for e in waiting if all(r in placed or r not in known for r in e.requires)), waiting[0])
        waiting.remove(ready)
        done.append(ready)
        placed.add(ready.id)
    return done


def suggest(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """Return at most `limit` names: those that begin with `name`, then those similar to it, best first."""
    import difflib

    every = list(names)
    begun = [other for other in every if name and other.startswith(name)]
    similar = difflib.get_close_matches(name, every, n=limit, cutoff=0.6)
    return [*begun, *(other for other in similar if other not in begun)][:limit]
