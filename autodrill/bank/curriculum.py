"""Prerequisites and learning paths: their records, and the reader of `questions/paths.toml`."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.errors import ContentError, FileError, Problem
from autodrill.folders import content_root

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from autodrill.bank.questions import Question
    from autodrill.drills.exercise import Heading

__all__ = ["Curriculum", "LearningPath", "Stage", "Step", "load_curriculum", "misplaced"]

_EXERCISE = "x:"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: a question to answer, or an exercise to write."""

    name: str
    is_exercise: bool = False

    def __str__(self) -> str:
        return f"{_EXERCISE}{self.name}" if self.is_exercise else self.name


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a path: a title and steps in order."""

    title: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class LearningPath:
    """An order of questions and exercises for one purpose.

    Attributes:
        name: The name after `autodrill quiz --path`.
        title: One line about the path.
        stages: Its parts in order.
    """

    name: str
    title: str
    stages: tuple[Stage, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step, in order."""
        return tuple(step for stage in self.stages for step in stage.steps)


@dataclass(frozen=True, slots=True)
class Curriculum:
    """Prerequisites and paths.

    Attributes:
        topics: For each topic of a question or an exercise, the topics it needs: the one vocabulary of topics.
        questions: For each question, the questions it needs.
        paths: The paths by name.
    """

    topics: Mapping[str, tuple[str, ...]]
    questions: Mapping[str, tuple[str, ...]]
    paths: Mapping[str, LearningPath]

    def below(self, topic: str) -> frozenset[str]:
        """Return every topic that `topic` needs, directly or through others."""
        found: set[str] = set()
        waiting = [topic]
        while waiting:
            for needed in self.topics.get(waiting.pop(), ()):
                if needed not in found:
                    found.add(needed)
                    waiting.append(needed)
        return frozenset(found)


def load_curriculum(
    file: Path | None = None,
    *,
    bank: Sequence[Question] | None = None,
    exercises: Sequence[Heading] | None = None,
) -> Curriculum:
    """Read prerequisites and paths.

    Args:
        file: The TOML file; by default the one that ships with autodrill.
        bank: Every question, to check the ids; without it they are not checked.
        exercises: Every exercise, to check the ids; without it they are not checked.

    Raises:
        ContentError: The file is malformed, has a circle, names something unknown, or puts a step before one that it
            needs. The error carries every problem with its line.
        FileError: The file cannot be read.
    """
    file = content_root() / "questions" / "paths.toml" if file is None else file
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        hint = "reinstall autodrill, which contains this file"
        raise FileError(f"`{file}` cannot be read: {error}", hint=hint, where=str(file)) from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        raise ContentError([Problem(str(file), int(at[1]) if at else 1, f"this is not valid TOML: {error}")]) from None
    reader = _CurriculumReader(file, text.splitlines())
    curriculum = reader.read(table)
    if not reader.problems:  # else the checks would repeat the same problems in other words
        reader.circles("topics", curriculum.topics)
        reader.circles("questions", curriculum.questions)
        reader.names(curriculum, bank, exercises)
        reader.order(curriculum, bank, exercises)
    if reader.problems:
        raise ContentError(sorted(reader.problems, key=lambda problem: problem.line))
    return curriculum


def misplaced(names: Sequence[str], needs: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield each name that comes before one it needs, with that one; needs outside `names` are ignored."""
    place = {name: at for at, name in enumerate(names)}
    for name in names:
        for needed in needs.get(name, ()):
            if place.get(needed, -1) > place[name]:
                yield name, needed


class _CurriculumReader:
    """Turns the TOML into records and notes every problem."""

    def __init__(self, file: Path, lines: Sequence[str]) -> None:
        self._file = str(file)
        self._lines = lines
        self.problems: list[Problem] = []

    def read(self, table: Mapping[str, Any]) -> Curriculum:
        for name in table.keys() - {"topics", "questions", "paths"}:
            self._note("", name, f"unknown table `{name}`; use `topics`, `questions` or `paths`")
        needs = {part: self._needs(part, table.get(part, {})) for part in ("topics", "questions")}
        paths = {name: self._path(name, given) for name, given in self._table("paths", table.get("paths", {})).items()}
        return Curriculum(needs["topics"], needs["questions"], paths)

    def circles(self, part: str, needs: Mapping[str, Sequence[str]]) -> None:
        """Note every circle once, at the line of its member that comes first in the file."""
        done: set[str] = set()
        for start in needs:
            way: list[str] = []
            pending = [(start, iter(needs[start]))] if start not in done else []
            while pending:
                name, rest = pending[-1]
                if name not in way:
                    way.append(name)
                found = next(rest, None)
                if found is None:
                    done.add(way.pop())
                    pending.pop()
                elif found in way:
                    circle = [*way[way.index(found) :], found]
                    self._note(part, circle[0], f"circular prerequisites: {' needs '.join(f'`{c}`' for c in circle)}")
                elif found not in done and found in needs:
                    pending.append((found, iter(needs[found])))

    def names(self, read: Curriculum, bank: Sequence[Question] | None, exercises: Sequence[Heading] | None) -> None:
        """Note every name of an unknown topic, question or exercise."""
        if bank is not None:
            topics = {topic for question in bank for topic in question.topics}
            questions = {question.id for question in bank}
            for part, needs, known in (("topics", read.topics, topics), ("questions", read.questions, questions)):
                for name in needs:
                    for named in (name, *needs[name]):
                        self._known(part, named, named, known, part[:-1])
            for topic in sorted(topics - set(read.topics)):
                self._note(
                    "",
                    "topics",
                    f"the topic `{topic}` has no line in this table; add a line with the topics it needs, or `[]`",
                )
        for path in read.paths.values():
            for step in path.steps:
                if step.is_exercise and exercises is not None:
                    known = {exercise.id for exercise in exercises}
                    self._known(f"paths.{path.name}", str(step), step.name, known, "exercise")
                elif not step.is_exercise and bank is not None:
                    self._known(f"paths.{path.name}", step.name, step.name, questions, "question")

    def order(self, read: Curriculum, bank: Sequence[Question] | None, exercises: Sequence[Heading] | None) -> None:
        """Note every question, exercise and topic of a path that comes before one it needs."""
        homes = {question.id: question.home_topic for question in bank or ()}
        requires = {
            str(Step(e.id, is_exercise=True)): [str(Step(r, is_exercise=True)) for r in e.requires]
            for e in exercises or ()
        }
        for path in read.paths.values():
            table = f"paths.{path.name}"
            names = [str(step) for step in path.steps]
            for early, late in misplaced(names, {**read.questions, **requires}):
                self._note(table, early, f"`{early}` needs `{late}`, but comes before it")
            topics = list(dict.fromkeys(homes[name] for name in names if name in homes))
            for topic, needed in misplaced(topics, read.topics):
                first = next(name for name in names if homes.get(name) == topic)
                self._note(table, first, f"the topic `{topic}` starts here, but it needs `{needed}`, which comes later")

    def _needs(self, part: str, given: Any) -> dict[str, tuple[str, ...]]:
        return {name: self._strings(part, name, listed) for name, listed in self._table(part, given).items()}

    def _path(self, name: str, given: Any) -> LearningPath:
        table = f"paths.{name}"
        fields = self._table(table, given)
        for key in fields.keys() - {"title", "stages"}:
            self._note(table, key, f"unknown field `{key}`; use `title` or `stages`")
        title = fields.get("title")
        if not isinstance(title, str) or not title:
            self._note(table, "title", f"the path `{name}` has no title")
        stages = tuple(
            Stage(heading, tuple(self._step(table, name) for name in self._strings(table, heading, names)))
            for heading, names in self._table(f"{table}.stages", fields.get("stages", {})).items()
        )
        path = LearningPath(name, str(title), stages)
        if not path.steps:
            self._note(table, "stages", f"the path `{name}` has no steps")
        for step, times in Counter(map(str, path.steps)).items():
            if times > 1:
                self._note(table, step, f"`{step}` is in the path twice", occurrence=1)
        return path

    def _step(self, table: str, written: str) -> Step:
        if written.startswith(_EXERCISE):
            return Step(written.removeprefix(_EXERCISE), is_exercise=True)
        if ":" in written:
            self._note(table, written, f"`{written}` must be a question's id, or `{_EXERCISE}` and an exercise's id")
        return Step(written)

    def _table(self, part: str, given: Any) -> dict[str, Any]:
        if isinstance(given, dict):
            return given
        self._note("", part.rpartition(".")[2], f"`{part}` must be a table, not {given!r}")
        return {}

    def _strings(self, part: str, name: str, given: Any) -> tuple[str, ...]:
        if isinstance(given, list) and all(isinstance(item, str) for item in given):
            return tuple(given)
        self._note(part, name, f"`{name}` must be a list of names, not {given!r}")
        return ()

    def _known(self, part: str, at: str, name: str, known: Collection[str], what: str) -> None:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, sorted(known), n=1)
            self._note(part, at, f"no {what} named `{name}`" + (f"; did you mean `{near[0]}`?" if near else ""))

    def _note(self, table: str, name: str, message: str, *, occurrence: int = 0) -> None:
        self.problems.append(Problem(self._file, self._line_of(table, name, occurrence), message))

    def _line_of(self, table: str, name: str, occurrence: int) -> int:
        """Return the line of a name in a table or below it, else the line of the table."""
        header = re.compile(rf"\s*\[{re.escape(table)}[\].]")
        start = next((i for i, line in enumerate(self._lines) if table and header.match(line)), 0)
        literal = re.compile(rf'"{re.escape(name)}"|^\s*\[?{re.escape(name)}\b(?!-)')
        hits = [i for i, line in enumerate(self._lines) if i >= start and literal.search(line)]
        return (hits[occurrence] if len(hits) > occurrence else start) + 1
