"""The steps of the command, each run in a process of its own: they print Markdown, and fail by their exit code."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

import autodrill
from autodrill import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["STEPS", "Step", "run_step"]

DRY_SAMPLES = 60  # in a dry run every 60th sample


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        title: The heading of its section.
        seconds: Its time limit.
        lines: Yields its Markdown, given whether it is a dry run; raises `SystemExit(1)` at the end if it found faults.
    """

    title: str
    seconds: float
    lines: Callable[[bool], Iterator[str]]


def library(dry: bool) -> Any:
    """Return the array library, CuPy or the strict device."""
    return engine.backend_named("strict" if dry else "cuda").xp


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def machine(dry: bool) -> Iterator[str]:
    """Yield the machine, the driver and the versions."""
    xp = library(dry)
    runtime = xp.cuda.runtime
    rows = {
        "array library": "the strict device of the tests, a dry run" if dry else f"CuPy {xp.__version__}",
        "CUDA runtime, driver": f"{runtime.runtimeGetVersion()}, {runtime.driverGetVersion()}",
        "Python, NumPy": f"{platform.python_version()}, {np.__version__}",
        "PyTorch": _installed("torch"),
        "autodrill": autodrill.__version__,
        "machine": f"{platform.machine()}, {platform.system()} {platform.release()}, {os.cpu_count()} processors",
    }
    for k in range(runtime.getDeviceCount()):
        device = xp.cuda.Device(k)
        name = runtime.getDeviceProperties(k)["name"].decode()
        total = device.mem_info[1] / 2**30
        rows[f"device {k}"] = f"{name}, compute capability {device.compute_capability}, {total:.1f} GiB"
    yield "| | |"
    yield "|---|---|"
    yield from (f"| {name} | {value} |" for name, value in rows.items())


def cuda_tests(dry: bool) -> Iterator[str]:
    """Run every test with the marker `cuda`; in a dry run, the one that runs their bodies on the strict device."""
    chosen = ["tests/engine/test_cuda.py", "-k", "bodies_run"] if dry else ["-m", "cuda", "tests"]
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "--no-header", *chosen]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["pytest printed nothing"]
    yield f"`pytest {' '.join(chosen)}`: {lines[-1].strip('= ')}\n"
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    yield from (f"- `{line[:200]}`" for line in failed)
    if done.returncode:
        raise SystemExit(1)


def kernels(dry: bool) -> Iterator[str]:
    """Run the worked solution and every listed variant of every kernel exercise; in a dry run of one, simulated."""
    from autodrill.drills.library import Library
    from autodrill.grading.grade import grade, start_runner
    from autodrill.grading.kernels.gpu_runner import GpuRunner
    from autodrill.grading.report import Verdict
    from autodrill.grading.submission import Submission
    from autodrill.sandbox.limits import CHECK_LIMITS

    shipped = Library.open(environ={})
    found = [shipped.find(heading.id) for heading in shipped.headings() if heading.kind == "kernel"]
    yield "| exercise | solution | variants that fail | variants that pass | seconds |"
    yield "|---|---|---|---|---|"
    wrong = 0
    for exercise in found[:1] if dry else found:
        start, drill = time.perf_counter(), shipped.drill(exercise)
        texts = [("", drill.solution.source), *((m.key, m.source) for m in drill.solution.mistakes)]
        verdicts: dict[str, str] = {}
        for key, source in texts[:2] if dry else texts:
            # One process for each: a kernel out of bounds leaves the device's context unusable.
            try:
                runner = start_runner(drill, CHECK_LIMITS) if dry else GpuRunner.for_exercise(exercise, CHECK_LIMITS)
                with runner:
                    report = grade(drill, Submission(source.encode(), "a.py", "a.py"), seed=0, runner=runner)
                verdicts[key] = "pass" if report.verdict is Verdict.PASS else "fail"
            except Exception as error:  # noqa: BLE001 - the other variants still run
                verdicts[key] = f"{type(error).__name__}: {str(error)[:80]}"
        wrong += verdicts[""] != "pass"
        passing = [key for key, verdict in verdicts.items() if key and verdict == "pass"]
        seconds = time.perf_counter() - start
        failing = len(verdicts) - 1 - len(passing)
        yield f"| {exercise.id} | {verdicts['']} | {failing} | {', '.join(passing) or '-'} | {seconds:.1f} |"
    yield f"\n{len(found)} exercises ask for a kernel."
    if wrong:
        raise SystemExit(1)


def registry(dry: bool) -> Iterator[str]:
    """Compare every sample of the registry in every mode with NumPy."""
    from tests.engine.device_modes import MODES, compare, moved, prepared
    from tests.engine.samples import SAMPLES
    from tests.engine.test_cuda import RTOL

    xp, agreed = library(dry), Counter[str]()
    failures: list[str] = []
    samples = SAMPLES[::DRY_SAMPLES] if dry else SAMPLES
    with np.errstate(all="ignore"):
        for sample in samples:
            here = prepared(sample)
            for mode in MODES:
                try:
                    compare(mode, here, moved(sample, here, xp), rtol=RTOL)
                    agreed[mode] += 1
                except Exception as error:  # noqa: BLE001 - the others are compared too
                    text = " ".join(str(error).split())[:120]
                    failures.append(f"- `{sample}`, {mode}: {type(error).__name__}: {text}")
    yield f"{len(samples)} samples of {len({s.name for s in samples})} operations, relative tolerance {RTOL:g}.\n"
    yield "| mode | agree | of |"
    yield "|---|---|---|"
    yield from (f"| {mode} | {agreed[mode]} | {len(samples)} |" for mode in MODES)
    if failures:
        yield "\nThese do not agree:\n"
        yield from failures[:200]
        raise SystemExit(1)


def programs(dry: bool) -> Iterator[str]:
    """Compare programs of the whole engine with NumPy."""
    from tests.engine.device_programs import PROGRAMS
    from tests.engine.test_cuda import program_on

    xp, wrong = library(dry), 0
    for name in PROGRAMS:
        try:
            program_on(xp, name)
            said = "agrees"
        except Exception as error:  # noqa: BLE001 - as above
            wrong += 1
            said = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
        yield f"- {name}: {said}"
    if wrong:
        raise SystemExit(1)


def overhead(dry: bool) -> Iterator[str]:
    """Time the host for one small operation."""
    from benchmarks.gpu.timing import overhead_lines

    yield from overhead_lines(library(dry), small=dry)


def speed(dry: bool) -> Iterator[str]:
    """Time the tasks."""
    from benchmarks.gpu.timing import benchmark_lines

    if dry:
        yield "A dry run has small sizes and no PyTorch: these times say nothing.\n"
    yield from benchmark_lines(library(dry), small=dry)


def gradcheck(dry: bool) -> Iterator[str]:
    """Time a gradient check whose function runs on the device."""
    xp = library(dry)
    shape = (2, 3) if dry else (8, 10)
    x = xp.asarray(np.random.default_rng(0).normal(size=shape))
    labels = xp.asarray(np.arange(shape[0]) % shape[1])

    def loss(logits: Any) -> Any:
        return engine.cross_entropy(logits, labels)

    times = []
    for _ in range(1 if dry else 7):
        with nullcontext():
            start = time.perf_counter()
            report = engine.gradcheck(loss, [x])
            times.append(time.perf_counter() - start)
    yield f"Cross-entropy of {shape}: {1e3 * sorted(times)[len(times) // 2]:.1f} ms; it agrees: {bool(report)}."


STEPS: dict[str, Step] = {
    "machine": Step("Machine", 120, machine),
    "tests": Step("Tests", 2400, cuda_tests),
    "kernels": Step("Kernels of the exercises", 1200, kernels),
    "registry": Step("NumPy and CuPy over the registry", 2400, registry),
    "programs": Step("Programs of the whole engine", 600, programs),
    "overhead": Step("Cost of one operation", 300, overhead),
    "speed": Step("Speed", 1800, speed),
    "gradcheck": Step("Gradient check", 300, gradcheck),
}


def run_step(name: str, *, dry: bool) -> None:
    """Print one step's section as it becomes known."""
    if dry:
        from tests.engine.strict.backend import BACKEND

        engine.register_backend(BACKEND)
    for line in STEPS[name].lines(dry):
        print(line, flush=True)
