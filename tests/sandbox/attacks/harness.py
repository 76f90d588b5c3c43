"""Runs the corpus of attacks against a grader in each configuration, and reports the attacks that succeed.

`python -m tests.sandbox.attacks.harness` prints the table for every configuration; `--json FILE` saves it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tests.sandbox.attacks.aftermath import Aftermath, adopt_orphans
from tests.sandbox.attacks.corpus import EXERCISE, SCORE, Submission, honest, hostile, tricks
from tests.sandbox.attacks.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from autodrill.drills.exercise import Drill
    from autodrill.sandbox.launcher import Launcher

__all__ = ["LAYERS", "WITHOUT", "Grade", "Result", "available", "run", "table"]

SEED = 20_261
_NAIVE_SECONDS = 30.0
_VERDICTS = frozenset({"pass", "fail", "error", "timeout"})


class Grade(Protocol):
    """A grader."""

    def __call__(self, source: bytes, exercise: str, *, only: int | None = None) -> str:
        """Return the verdict.

        Args:
            source: The submission.
            exercise: The id of its exercise.
            only: The only case to grade; all cases by default.
        """
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one submission in one configuration.

    Attributes:
        layer: The configuration.
        family: The submission's family.
        name: Its name.
        verdict: The verdict; with `internal` also the reason, and `broken: ...` if the grader raised.
        traces: What the attack left behind.
        unharmed: Whether an honest submission passed afterwards.
        seconds: Wall time of the grading.
    """

    layer: str
    family: str
    name: str
    verdict: str
    traces: tuple[str, ...]
    unharmed: bool
    seconds: float

    @property
    def title(self) -> str:
        """Family and name."""
        return f"{self.family}/{self.name}"

    @property
    def breach(self) -> str | None:
        """How the attack succeeded, None if it did not."""
        found = ["it passed"] if self.verdict == "pass" else []
        if self.verdict not in _VERDICTS:
            found.append(f"the grader said `{self.verdict}`")
        found += self.traces
        if not self.unharmed:
            found.append("the next submission was graded wrongly")
        return "; ".join(found) or None


@cache
def _drill(name: str) -> Drill:
    from autodrill.drills.library import Library

    library = Library.open()
    return library.drill(library.find(name))


def _graded(source: bytes, exercise: str, *, only: int | None = None, launcher: Launcher) -> str:
    """Grade as autodrill does, in a process of `launcher`."""
    from autodrill.grading.grade import grade
    from autodrill.grading.submission import Submission as File
    from autodrill.sandbox.limits import CHECK_LIMITS
    from autodrill.sandbox.runner import Runner

    runner = Runner.start(CHECK_LIMITS, launcher=launcher)
    report = grade(_drill(exercise), File(source, "answer.py", "answer.py"), seed=SEED, only=only, runner=runner)
    return f"internal: {report.detail}" if report.verdict == "internal" else str(report.verdict)


def _naive(source: bytes, exercise: str, *, only: int | None = None) -> str:
    """Grade with `naive`. An attack succeeds if one of its four reports says "passed"."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as stdout:
        file = Path(folder, "candidate.py")
        file.write_bytes(source)
        read, write = os.pipe()
        os.set_blocking(read, False)
        try:
            code = _run_naive(file, exercise, write, stdout.fileno())
            stdout.seek(0)
            printed = stdout.read(32 << 20)
            try:
                record = os.read(read, 1 << 16)
            except BlockingIOError:
                record = b""
        finally:
            os.close(read)
            os.close(write)
        written = b"".join(path.read_bytes() for path in Path(folder).glob("*results.json"))
    fooled = code == 0 or b"PASS" in printed.split() or b'"passed": true' in record + written
    return "pass" if fooled else "timeout" if code is None else "fail"


def _run_naive(file: Path, exercise: str, write: int, stdout: int) -> int | None:
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("naive.py")), str(file), exercise, str(write)],
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        pass_fds=[write],
        cwd=file.parent,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        start_new_session=True,
    )
    try:
        return process.wait(_NAIVE_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    finally:
        process.kill()
        process.wait()


@cache
def _confined(layer: str) -> Grade | None:
    """Return autodrill's grader in a configuration; None if this system has no confinement."""
    if sys.platform != "linux":
        return None
    from autodrill.sandbox.child.confinement import OPEN, SEALED, SEPARATE, Layer
    from autodrill.sandbox.fork_server import ForkServer
    from autodrill.sandbox.launcher import launch

    name, _, without = layer.partition(" without ")
    if name == "separation":
        return partial(_graded, launcher=partial(launch, confinement=SEPARATE))
    whole = {"open": OPEN, "sealed": SEALED}[name]
    rest = whole.layers - ({Layer(without)} if without else set())
    asked = replace(whole, layers=rest, required=whole.required & rest)
    return partial(_graded, launcher=ForkServer(asked).launch)


LAYERS = ("naive", "separation", "open", "sealed")
"""The configurations: a naive grader without protection, a separate process with limits, and the two profiles."""

WITHOUT = tuple(
    f"{profile} without {layer}"
    for profile in ("open", "sealed")
    for layer in ("privileges", "rlimits", "landlock", "seccomp")
)
"""The profiles with one layer switched off."""


def available(layer: str) -> Grade | None:
    """Return the grader of a configuration, None if this system does not have it."""
    return _naive if layer == "naive" else _confined(layer)


def run(layer: str, submissions: Iterable[Submission]) -> list[Result]:
    """Grade submissions one after another, and look for traces after each.

    Args:
        layer: One of `LAYERS`, available here.
        submissions: The submissions.

    Raises:
        RuntimeError: An honest submission does not pass.
    """
    grade = available(layer)
    assert grade is not None
    well_meant = next(s for s in honest() if s.name == "dataclass").source({})
    results = []
    with adopt_orphans(), World() as world:
        # From now on everything exists that a grader starts once and keeps.
        if (first := _verdict(partial(grade, only=0), well_meant, EXERCISE)) != "pass":
            raise RuntimeError(f"`{layer}` does not grade: an honest file gets `{first}`")
        for submission in submissions:
            if not submission.is_possible():
                continue
            source = submission.source(world.values())
            before = Aftermath(world)
            started = time.perf_counter()
            # One case shows whether an attack on the machine succeeds. Only an attack on the score needs all cases.
            put = grade if submission.family in SCORE else partial(grade, only=0)
            verdict = _verdict(put, source, submission.exercise)
            seconds = time.perf_counter() - started
            if submission.name == "interpreter_state":
                verdict = _verdict(put, source, submission.exercise)
            traces = before.traces()
            unharmed = layer == "naive" or _verdict(partial(grade, only=0), well_meant, EXERCISE) == "pass"
            results.append(
                Result(layer, submission.family, submission.name, verdict, tuple(traces), unharmed, round(seconds, 3))
            )
    return results


def _verdict(grade: Grade, source: bytes, exercise: str) -> str:
    try:
        return grade(source, exercise)
    except Exception as error:  # noqa: BLE001 an exception of the grader is a finding
        return f"broken: {type(error).__name__}: {error}"[:200]


def table(results: Sequence[Result]) -> str:
    """Return a table: for each configuration, how many attacks succeed, by family."""
    lines = []
    width = max((len(result.layer) for result in results), default=0)
    for layer in dict.fromkeys(result.layer for result in results):
        here = [result for result in results if result.layer == layer]
        through = Counter(result.family for result in here if result.breach)
        families = ", ".join(f"{family} {count}" for family, count in sorted(through.items()))
        lines.append(f"{layer:{width}}  {through.total():>3} of {len(here)}" + (f"  {families}" if families else ""))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, the breaches of every configuration but `naive`, and the attacks that fail against `naive`."""
    parser = argparse.ArgumentParser(description="Run the corpus of attacks.")
    known = (*LAYERS, *WITHOUT)
    parser.add_argument(
        "--layer",
        action="append",
        choices=known,
        help="a configuration to test; by default the first four, if available",
    )
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    layers = options.layer or [layer for layer in LAYERS if available(layer) is not None]
    results: list[Result] = []
    refused = {}
    refusing = {}
    for layer in layers:
        corpus = [*hostile(options.family), *(tricks() if not options.family and layer != "naive" else [])]
        try:
            here = run(layer, corpus)
        except RuntimeError as error:  # only root may install a filter without giving up privileges first
            refusing[layer] = str(error)
            continue
        results += here
        sys.stderr.write(table(here) + "\n")
        grade = available(layer)
        assert grade is not None
        verdicts = {file.name: _verdict(grade, file.source({}), file.exercise) for file in honest()}
        refused[layer] = {name: verdict for name, verdict in verdicts.items() if verdict != "pass"}
    out = sys.stdout.write
    dead = {s.title: s.not_live for s in hostile()}
    machine = os.uname()
    out(f"{machine.sysname} {machine.release} {machine.machine}, Python {sys.version.split()[0]}, user {os.getuid()}\n")
    out("attacks that succeed, by configuration:\n" + table(results) + "\n")
    for layer, why in refusing.items():
        out(f"{layer}: nothing was graded: {why}\n")
    out(f"honest files that do not pass, of {len(honest())}:\n")
    for layer, names in refused.items():
        out(f"{layer}: {len(names)} {names or ''}\n")
    for result in results:
        if result.layer == "naive" and not result.breach:
            out(f"not live: {result.title}: {result.verdict}: {dead.get(result.title) or 'unexpected'}\n")
        elif result.layer != "naive" and result.breach:
            out(f"{result.layer}: {result.title}: {result.breach}\n")
    if options.json:
        rows = [asdict(result) | {"breach": result.breach} for result in results]
        options.json.write_text(json.dumps({"schema": 1, "results": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
