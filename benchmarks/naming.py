"""The share of wrong programs for which the grader names the broken rule.

Run `python benchmarks/naming.py [exercise ...] [--folder FOLDER]`. The wrong programs are the known mistakes of every
exercise, the mutants of its solution, and with `--folder` the files named `<exercise>__<anything>.py`. Each share has
two figures. The first counts known mistakes, general rules and exceptions. The second also counts the search for a
mutation of the solution. That search names mutants by construction, so only the first figure is fair for mutants.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.library import Library
from autodrill.drills.mutants import mutants
from autodrill.grading.diagnosis.mutation_messages import PREFIX
from autodrill.grading.grade import grade
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.grading.verify.many_programs import Bench
from autodrill.grading.verify.mutation_score import excuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from autodrill.drills.exercise import Drill
    from autodrill.grading.report import Report

SEEDS = range(5)
"""The seeds of a mutant. One that passes under all of them is not a mistake."""

TARGET = 0.9

KINDS = {"mistake": "known mistakes", "mutant": "mutants", "further": "further answers"}
"""The sources of wrong programs, with their plurals."""


@dataclass(frozen=True)
class Wrong:
    """A wrong program, its source, and a seed under which it fails."""

    origin: str
    kind: str
    source: str
    seed: int = 0


@dataclass(frozen=True)
class Answered:
    """A wrong program with its report."""

    wrong: Wrong
    report: Report

    @property
    def key(self) -> str | None:
        """The key of the rule that the report names, or None."""
        failure = self.report.failure
        if failure is None or failure.rule is None:
            return next((remark.key for remark in self.report.remarks), None)
        return failure.rule.key

    @property
    def by_mutation_search(self) -> bool:
        """Whether only the search for a mutation found the rule."""
        return self.key is not None and self.key.startswith(PREFIX)

    @property
    def summary(self) -> str:
        """The fault in the report."""
        failure = self.report.failure
        if failure is None:
            return str(self.report.verdict)
        line = f", line {failure.line}" if failure.kind is FaultKind.RAISED else ""
        return f"{failure.kind.name}{line}: {failure.summary}"


def wrong_programs(drill: Drill, made: Counter[str]) -> Iterator[Wrong]:
    """Yield the known mistakes, then the mutants that fail. Count the outcomes of all mutants in `made`."""
    for mistake in drill.solution.mistakes:
        yield Wrong(mistake.key, "mistake", mistake.source)
    with Bench(drill) as bench:
        for mutant in mutants(drill.solution.source, cotangents=drill.solution.cotangents, given=drill.exercise.stub):
            made["made"] += 1
            seed = next((seed for seed in SEEDS if bench.first_fault(mutant.source, [seed])), None)
            if seed is None:
                made["equivalent" if excuse(drill.solution, mutant) else "survived"] += 1
            else:
                made["killed"] += 1
                yield Wrong(mutant.key, "mutant", mutant.source, seed)


def answered(drill: Drill, programs: Iterable[Wrong]) -> Iterator[Answered]:
    """Grade programs as `autodrill check` does."""
    name = f"{drill.exercise.id}.py"
    for wrong in programs:
        report = grade(drill, Submission(wrong.source.encode(), name, name), seed=wrong.seed)
        if report.verdict is Verdict.INTERNAL:
            raise SystemExit(f"{drill.exercise.id}, {wrong.origin}: {report.detail}")
        yield Answered(wrong, report)


def share(rows: list[Answered]) -> str:
    """Return the share of rows with a rule, without and with the search for a mutation."""
    if not rows:
        return "none"
    alone = sum(row.key is not None and not row.by_mutation_search for row in rows)
    named = sum(row.key is not None for row in rows)
    first, second = (f"{count}/{len(rows)} ({count / len(rows):.1%})" for count in (alone, named))
    return f"{first}, with the mutation search {second}"


def main() -> None:
    """Grade every wrong program and print the shares with a rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*", help="ids; all by default")
    parser.add_argument("--folder", type=Path, help="a folder of further wrong answers")
    options = parser.parse_args()
    library = Library.open(environ={})
    rows: list[Answered] = []
    started = time.perf_counter()
    for name in options.exercises or library.paths:
        exercise = library.find(name)
        drill = library.drill(exercise)
        made: Counter[str] = Counter()
        mine = list(answered(drill, wrong_programs(drill, made)))
        files = sorted(options.folder.glob(f"{exercise.id}__*.py")) if options.folder else []
        further = (Wrong(file.stem.partition("__")[2], "further", file.read_text(encoding="utf-8")) for file in files)
        mine += answered(drill, further)
        counts = ", ".join(f"{made[word]} {word}" for word in ("made", "killed", "equivalent", "survived"))
        print(f"{exercise.id}: mutants {counts}")
        for kind, words in KINDS.items():
            if of_kind := [row for row in mine if row.wrong.kind == kind]:
                print(f"  {words:15} named {share(of_kind)}")
        for row in mine:
            if row.key is None or row.by_mutation_search:
                print(f"    {row.key or 'unnamed'} | {row.wrong.kind} | {row.wrong.origin} | {row.summary}", flush=True)
        rows += mine
    print(f"\nin all, {time.perf_counter() - started:.0f} s")
    for kind, words in KINDS.items():
        print(f"  {words:15} named {share([row for row in rows if row.wrong.kind == kind])}")
    listed = [row for row in rows if row.wrong.kind != "further"]
    met = sum(row.key is not None for row in listed) >= TARGET * len(listed)
    print(f"  mistakes and mutants named {share(listed)}, target {TARGET:.0%}: {'met' if met else 'MISSED'}")
    unnamed = Counter(
        row.wrong.origin.partition(":")[0] for row in rows if row.key is None and row.wrong.kind == "mutant"
    )
    print("  mutants unnamed by operator:", ", ".join(f"{k} {n}" for k, n in unnamed.most_common()) or "none")
    print(
        "  rules from the mutation search:",
        ", ".join(f"{k} {n}" for k, n in Counter(r.key for r in rows if r.by_mutation_search).most_common()),
    )


if __name__ == "__main__":
    main()
