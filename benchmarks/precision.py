"""Precision: how near the grader's float32 tolerance right answers come, and by how much half precision misses it.

Run `python benchmarks/precision.py --seeds 50`. For each exercise with float32 cases, it puts the worked solution and
all right answers of the tests to the float32 cases of each seed, and prints ratios of an error to the tolerance:

- right: the largest of any right answer, in any element, case and seed. It must stay below 1/3.
- inputs, results: that of the worked solution if its inputs or its results are rounded to the 11 bits of a float16,
  after scaling by a power of two. It is the largest of a grading run, and the smallest over the seeds. It must exceed
  1, because then every run refuses the answer.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import autodrill
from autodrill.drills.library import Library
from autodrill.grading.cases.case_set import CaseSet, put_once
from autodrill.grading.cases.compare import compare_call
from autodrill.grading.cases.estimators import mean_of_draws
from autodrill.grading.cases.question import answer_budget
from autodrill.grading.grade import start_runner
from autodrill.grading.submission import Submission
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from autodrill.sandbox.runner import Runner

RIGHT = Path(__file__).parent.parent / "tests" / "corpus" / "answers"
MOST, LEAST = 1 / 3, 1.0
"""Bounds of the two ratios."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*", help="ids; all by default")
    parser.add_argument("--seeds", type=int, default=50, help="the number of seeds")
    options = parser.parse_args()
    library = Library.open(environ={})
    print(f"autodrill {autodrill.__version__}, numpy {np.__version__}, Python {platform.python_version()}")
    print(f"{options.seeds} seeds; error / tolerance in float32 cases\n")
    print(f"{'exercise':36} {'files':>5} {'cases':>5} {'right':>8} {'inputs':>8} {'results':>8}  worst right answer")
    started = time.perf_counter()
    bad = 0
    with ForkServer() as server:
        for exercise in map(library.find, options.exercises or sorted(library.paths)):
            drill = library.drill(exercise)
            if drill.solution.judge is None:
                bad += _measured(drill, options.seeds, server)
    print(f"\n{bad} exercises out of bounds; {time.perf_counter() - started:.0f} s")
    sys.exit(bool(bad))


def _measured(drill: Drill, seeds: int, server: ForkServer) -> bool:
    """Print the row of an exercise; return whether a ratio is out of bounds."""
    name = drill.exercise.id
    solution = Submission(drill.solution.source.encode(), drill.solution.path.name, "the solution")
    others = sorted((RIGHT / name / "right").glob("*"))
    files = [solution, *(Submission(path.read_bytes(), path.name, path.name) for path in others if path.is_file())]
    right, worst, cases = 0.0, "", 0
    halves = {"inputs": np.inf, "results": np.inf}
    for seed in range(seeds):
        case_set = CaseSet(drill, seed)
        single = [i for i, case in enumerate(case_set.cases) if case.dtype == "float32" and not case.remark]
        if not single:
            return False
        cases = len(single)
        asked = [(case_set.cases[i], case_set.question(i).expected) for i in single]
        for file in files:
            runner = start_runner(drill, case_set.limits, server.launch)
            with runner:
                runner.load(file.source, file.name, drill.exercise.entry, drill.kind.scenario(drill))
                largest = dict.fromkeys(halves, 0.0)
                for case, expected in asked:
                    got = _answer(runner, drill, case, expected)
                    ratio = _ratio(got, expected)
                    if ratio > right:
                        right, worst = ratio, f"{file.path}, seed {seed}, {case.label}"
                    if file is solution:
                        halved = [None if g is None else _half(g) for g in got]
                        largest["results"] = max(largest["results"], _ratio(halved, expected))
                        if not case.large:
                            of_halved = _answer(runner, drill, *_halved(case, expected))
                            largest["inputs"] = max(largest["inputs"], _ratio(of_halved, expected))
            if file is solution:
                halves = {key: min(value, largest[key]) for key, value in halves.items()}
    bad = right >= MOST or min(halves.values()) <= LEAST
    ratios = f"{right:8.3f} {halves['inputs']:8.2f} {halves['results']:8.2f}"
    print(f"{name:36} {len(files):5} {cases:5} {ratios}  {worst}{'  OUT' if bad else ''}", flush=True)
    return bad


def _answer(runner: Runner, drill: Drill, case: Case, expected: Expected) -> tuple[Any, ...]:
    """Return the results of one call, or the means of an estimator's draws."""
    if not case.draws:
        return put_once(runner, drill, case, expected, seconds=10.0).got or ()
    draws = [Call(drill.kind.arguments(drill, case, expected, draw)) for draw in range(case.draws)]
    (outcomes,) = runner.answers([call_request(draws, budget=answer_budget(case, expected), seconds=10.0)])
    return compare_call(drill, case, expected, mean_of_draws(drill, expected, outcomes)).got or ()


def _halved(case: Case, expected: Expected) -> tuple[Case, Expected]:
    """Return a case with every floating argument rounded to 11 bits; the expected results stay."""
    inputs = {name: _half(value) for name, value in case.inputs.items()}
    cotangents, outputs = (tuple(_half(a) for a in arrays) for arrays in (expected.cotangents, expected.outputs))
    return replace(case, inputs=inputs), replace(expected, cotangents=cotangents, outputs=outputs)


def _half(value: Any) -> Any:
    """Round floats to the 11 bits of a float16, whatever their magnitude."""
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return value
    with np.errstate(all="ignore"):
        largest = np.abs(array, dtype=np.float64).max(initial=0.0, where=np.isfinite(array))
        power = int(np.floor(np.log2(largest))) if largest > 0 else 0
        scaled = np.ldexp(array.astype(np.float64), -power).astype(np.float16)
        return np.ldexp(scaled.astype(np.float64), power).astype(array.dtype)


def _ratio(got: Any, expected: Expected) -> float:
    """Return the largest ratio of an error to its tolerance."""
    ratios = [0.0]
    for value, part in zip(got, expected.parts, strict=False):
        if value is None or value.shape != part.value.shape or part.dtype.kind != "f":
            continue
        with np.errstate(all="ignore"):
            off = np.abs(value.astype(np.float64) - part.value) / part.tolerance
            if part.deviation is not None:
                off[part.deviation > 1e-3 * part.tolerance] = 0  # such a tolerance is that of the sampling error
        ratios.append(float(off.max(initial=0.0, where=np.isfinite(off))))
    return max(ratios)


if __name__ == "__main__":
    main()
