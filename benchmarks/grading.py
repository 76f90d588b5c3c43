"""The cost of grading a file, with and without confinement, compared with pytest. Run `python benchmarks/grading.py`.

The submission is the worked solution of `mul_broadcast_backward`, graded on all cases. Rounds alternate between the
variants, so that load on the machine slows all of them. Each round starts a new fork server, because the memory layout
of a server makes all of its forks slightly faster or slower.

Latency is the time from the request for a process to the verdict, after the process has ended. Throughput is that of
two workers, as in `autodrill grade --workers 2`. The pytest test computes the same cases and compares the same values.
Each file has its own folder and process, as is usual if files must not see each other. No plugins are loaded, and two
processes run at a time.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import autodrill
from autodrill.drills.library import Library
from autodrill.grading.batch import Task, Worker, grade_all
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.submission import Submission
from autodrill.sandbox.child.confinement import SEALED, Confinement

EXERCISE = "mul_broadcast_backward"
SEED = 20_261
WORKERS = 2
BARE = replace(SEALED, layers=frozenset(), required=frozenset())

TEST = """
import numpy as np
import pytest
from submission import mul_broadcast_backward

CASES = np.load("../cases.npz")

@pytest.mark.parametrize("index", range(int(CASES["count"])))
def test_case(index):
    g, a, b = (CASES[f"{name}{index}"] for name in "gab")
    if CASES[f"strided{index}"]:
        g, a, b = (np.stack([array, array], axis=-1)[..., 0] for array in (g, a, b))
    before = [array.copy() for array in (g, a, b)]
    answer = mul_broadcast_backward(g, a, b)
    for was, now in zip(before, (g, a, b), strict=True):
        np.testing.assert_array_equal(was, now)
    for got, name in zip(answer, ("da", "db"), strict=True):
        want, tolerance = CASES[f"{name}{index}"], CASES[f"tolerance_{name}{index}"]
        assert got.shape == want.shape
        assert got.dtype == want.dtype
        assert np.all(np.abs(got - want) <= tolerance)
        assert not any(np.shares_memory(got, array) for array in (g, a, b))
    if CASES[f"repeated{index}"]:
        for first, second in zip(answer, mul_broadcast_backward(g, a, b), strict=True):
            np.testing.assert_array_equal(first, second)
    if CASES[f"linear{index}"]:
        for first, more in zip(answer, mul_broadcast_backward(3 * g, a, b), strict=True):
            np.testing.assert_allclose(3 * first, more, rtol=1e-4, atol=1e-4 * np.max(np.abs(more), initial=0))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="rounds of 30 submissions for each variant")
    parser.add_argument("--seconds", type=float, default=8, help="how long throughput is measured, for each variant")
    options = parser.parse_args()
    library = Library.open(environ={})
    exercise = library.find(EXERCISE)
    drill = library.drill(exercise)
    submission = Submission(drill.solution.source.encode(), "submission.py", "submission.py")
    prepared = CaseSet(drill, SEED)
    asked = sum(prepared.question(index).request.answers for index in range(len(prepared.cases)))
    print(f"{machine()}\n{EXERCISE}: {len(prepared.cases)} cases, {asked} calls\n")

    latency = latencies(submission, options.rounds)
    for name, values in latency.items():
        ordered = sorted(values)
        figures = f"median {statistics.median(ordered):5.1f} ms, 95 % below {ordered[int(0.95 * len(ordered))]:5.1f} ms"
        print(f"latency, {name:9} {figures}, least {ordered[0]:5.1f} ms of {len(ordered)}")
    ratio = statistics.median(
        statistics.median(with_) / statistics.median(without)
        for with_, without in zip(*(in_rounds(values) for values in latency.values()), strict=True)
    )
    print(f"confined / bare: {ratio:.2f}, the median of the rounds' ratios (target at most 1.2)\n")

    rates = {name: throughput(submission, how, options.seconds) for name, how in CONFINEMENTS.items()}
    for name, rate in rates.items():
        print(f"{WORKERS} workers, {name:9} {rate:6.1f} submissions/s")
    theirs = pytest_rate(prepared, submission, options.seconds)
    times = rates["confined"] / theirs
    print(f"pytest, a process each, {WORKERS} at a time: {theirs:.2f} submissions/s, confined {times:.0f} times that")


CONFINEMENTS = {"confined": SEALED, "bare": BARE}


def in_rounds(values: list[float]) -> list[list[float]]:
    return [values[at : at + 30] for at in range(0, len(values), 30)]


def latencies(submission: Submission, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each submission, confined and bare, in alternating rounds of 30."""
    taken: dict[str, list[float]] = {name: [] for name in CONFINEMENTS}
    for _ in range(rounds):
        for name, how in CONFINEMENTS.items():
            with Worker(Task(EXERCISE, (), SEED, how)) as worker:
                for _ in range(5):
                    check(worker, submission)
                for _ in range(30):
                    started = time.perf_counter()
                    check(worker, submission)
                    taken[name].append((time.perf_counter() - started) * 1e3)
    return taken


def check(worker: Worker, submission: Submission) -> None:
    report = worker.grade(submission)
    assert report.verdict == "pass", report


def throughput(submission: Submission, how: Confinement, seconds: float) -> float:
    """Return the submissions per second of `autodrill grade --workers 2`, after its workers have started."""
    task = Task(EXERCISE, (), SEED, how)
    count = int(120 * seconds)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / submission.name
        path.write_bytes(submission.source)
        reports = grade_all(task, [path] * count, WORKERS)
        for _ in range(10 * WORKERS):
            next(reports)
        started = time.perf_counter()
        left = list(reports)
        spent = time.perf_counter() - started
    assert all(report.verdict == "pass" for report in left)
    return len(left) / spent


def pytest_rate(prepared: CaseSet, submission: Submission, seconds: float) -> float:
    """Return the files per second that pytest tests, two at a time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # `assert_allclose` has no tolerance for NaN, so pytest is spared the case with a cotangent of NaN.
        places = [place for place, case in enumerate(prepared.cases) if not case.spoiled]
        arrays: dict[str, object] = {"count": len(places)}
        for index, place in enumerate(places):
            question = prepared.question(place)
            known, case = question.expected, question.case
            arrays |= {f"strided{index}": case.strided}
            arrays |= {f"repeated{index}": question.repeated, f"linear{index}": question.linear}
            arrays[f"g{index}"] = known.cotangents[0]
            arrays |= {f"{key}{index}": np.asarray(value).astype(case.dtype) for key, value in case.inputs.items()}
            arrays |= {f"{part.name}{index}": part.value.astype(part.dtype) for part in known.parts}
            arrays |= {f"tolerance_{part.name}{index}": part.tolerance for part in known.parts}
        np.savez(folder / "cases.npz", **arrays)  # type: ignore[arg-type]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "test_submission.py"]

        def once(_: int) -> None:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                Path(own, "submission.py").write_bytes(submission.source)
                Path(own, "test_submission.py").write_text(TEST, encoding="utf-8")
                subprocess.run(command, cwd=own, env=environment, check=True, capture_output=True)

        once(0)
        with ThreadPoolExecutor(WORKERS) as pool:
            count = 2 * WORKERS
            while True:
                started = time.perf_counter()
                list(pool.map(once, range(count)))
                spent = time.perf_counter() - started
                if spent > seconds / 2:
                    return count / spent
                count *= 2


def machine() -> str:
    model = next((line.partition(":")[2].strip() for line in cpu_info() if line.startswith("model name")), "")
    return (
        f"{model or platform.processor()}, {os.cpu_count()} CPUs, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}\n"
        f"autodrill {autodrill.__version__}, numpy {np.__version__}, pytest {pytest.__version__}"
    )


def cpu_info() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
