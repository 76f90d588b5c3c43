"""False alarms: right answers that the grader rejects. Run `python benchmarks/alarms.py --seeds 200`.

For each seed, it grades the worked solution of every exercise and all unusual right answers of the tests, each in its
own sealed process.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

import numpy as np

import autodrill
from autodrill.drills.library import Library
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.grade import grade, start_runner
from autodrill.grading.submission import Submission
from autodrill.sandbox.fork_server import ForkServer

ROOT = Path(__file__).parent.parent
UNUSUAL = ROOT / "tests" / "corpus" / "answers"
HONEST = ROOT / "tests" / "corpus" / "attacks" / "honest"
ATTACKED = "mul_broadcast_backward"
"""The exercise of the files in `HONEST`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*", help="ids; all by default")
    parser.add_argument("--seeds", type=int, default=200, help="the number of seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed, to split a run over several processes")
    options = parser.parse_args()
    library = Library.open(environ={})
    print(f"autodrill {autodrill.__version__}, numpy {np.__version__}, Python {platform.python_version()}")
    print(f"{options.seeds} seeds from {options.first}")
    files = cases = alarms = 0
    started = time.perf_counter()
    with ForkServer() as server:
        for exercise in map(library.find, options.exercises or sorted(library.paths)):
            drill = library.drill(exercise)
            right = [Submission(drill.solution.source.encode(), drill.solution.path.name, "the solution")]
            further = [
                *(UNUSUAL / exercise.id / "right").glob("*.py"),
                *(HONEST.glob("*.py") if exercise.id == ATTACKED else ()),
            ]
            right += [Submission(path.read_bytes(), path.name, path.name) for path in sorted(further)]
            put = 0
            wrong = []
            for seed in range(options.first, options.first + options.seeds):
                prepared = CaseSet(drill, seed)
                for file in right:
                    runner = start_runner(drill, prepared.limits, server.launch)
                    report = grade(drill, file, seed=seed, runner=runner, case_set=prepared)
                    put += report.cases
                    if report.verdict != "pass":
                        wrong.append(f"  seed {seed}, {file.path}: {report.verdict}: {report.failure or report.detail}")
            print(f"{exercise.id:32} {len(right):3} files {put:7} cases {len(wrong):3} alarms", flush=True)
            print("".join(f"{line}\n" for line in wrong), end="")
            files, cases, alarms = files + len(right), cases + put, alarms + len(wrong)
    spent = time.perf_counter() - started
    print(
        f"in all {files} files, {files * options.seeds} gradings, {cases} cases: {alarms} false alarms; {spent:.0f} s"
    )
    sys.exit(bool(alarms))


if __name__ == "__main__":
    main()
