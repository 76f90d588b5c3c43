"""Running the corpus against a grader in each of its configurations, and saying what comes through.

`python -m tests.sandbox.attacks.harness` prints the table for every layer of this checkout; `--json FILE` keeps it.
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
    """A grader: a file in, a verdict out."""

    def __call__(self, source: bytes, exercise: str, *, only: int | None = None) -> str:
        """Return the verdict.

        Args:
            source: The file.
            exercise: What it is handed in for.
            only: Put only this case, where all are not needed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """How one submission fared under one layer.

    Attributes:
        layer: The configuration.
        family: The submission's family.
        name: Its name.
        verdict: What the grader said; with `internal` also why, and `broken: ...` if it did not survive.
        traces: What was left behind.
        unharmed: Whether an honest submission was graded right afterwards.
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
        """What came through, None if nothing did."""
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
    """Grade as autodrill does, in a process that `launcher` provides."""
    from autodrill.grading.grade import Submission as File
    from autodrill.grading.grade import grade
    from autodrill.sandbox.limits import CHECK_LIMITS
    from autodrill.sandbox.runner import Runner

    runner = Runner.start(CHECK_LIMITS, launcher=launcher)
    report = grade(_drill(exercise), File(source, "answer.py", "answer.py"), seed=SEED, only=only, runner=runner)
    return f"internal: {report.detail}" if report.verdict == "internal" else str(report.verdict)


def _naive(source: bytes, exercise: str, *, only: int | None = None) -> str:
    """Grade as graders often do: see `naive`. It is fooled if one of the four ways it reports in says "passed"."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as stdout:
        file = Path(folder, "candidate.py")
        file.write_bytes(source)
        read, write = os.pipe()
        os.set_blocking(read, False)
        try:
            code = _run_naive(file, exercise, write, stdout.fileno())
            stdout.seek(0)
            told = stdout.read(32 << 20)
            try:
                record = os.read(read, 1 << 16)
            except BlockingIOError:
                record = b""
        finally:
            os.close(read)
            os.close(write)
        written = b"".join(path.read_bytes() for path in Path(folder).glob("*results.json"))
    fooled = code == 0 or b"PASS" in told.split() or b'"passed": true' in record + written
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
    """Return the grader with a confinement, None where this system has none: all of it, or all but one layer."""
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
    launcher = partial(launch, confinement=asked) if name == "open" else ForkServer(asked).launch
    return partial(_graded, launcher=launcher)


LAYERS = ("naive", "separation", "open", "sealed")
"""Names of the configurations: a naive grader without protection; a process apart with limits; the two profiles."""

WITHOUT = tuple(
    f"{profile} without {layer}"
    for profile in ("open", "sealed")
    for layer in ("privileges", "rlimits", "landlock", "seccomp")
)
"""The profiles with one layer switched off."""


def available(layer: str) -> Grade | None:
    """Return the grader of a layer, None where this system has none of that name."""
    return _naive if layer == "naive" else _confined(layer)


def run(layer: str, submissions: Iterable[Submission]) -> list[Result]:
    """Put submissions to a grader, one after another, and look after each what it has done.

    Args:
        layer: One of `LAYERS`, available here.
        submissions: The files.

    Raises:
        RuntimeError: The layer does not so much as pass an honest file.
    """
    grade = available(layer)
    assert grade is not None
    well_meant = next(s for s in honest() if s.name == "dataclass").source({})
    results = []
    with adopt_orphans(), World() as world:
        # What a grader starts once and keeps is there from now on.
        if (first := _verdict(partial(grade, only=0), well_meant, EXERCISE)) != "pass":
            raise RuntimeError(f"`{layer}` does not grade: an honest file gets `{first}`")
        for submission in submissions:
            if not submission.is_possible():
                continue
            source = submission.source(world.values())
            before = Aftermath(world)
            started = time.perf_counter()
            # One case tells whether a machine was open to an attack; only a score has to be won in all of them.
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
    except Exception as error:  # noqa: BLE001 whatever escapes the grader is what is looked for here
        return f"broken: {type(error).__name__}: {error}"[:200]


def table(results: Sequence[Result]) -> str:
    """Return, for each layer, how many files come through and of which families, as text."""
    lines = []
    width = max((len(result.layer) for result in results), default=0)
    for layer in dict.fromkeys(result.layer for result in results):
        here = [result for result in results if result.layer == layer]
        through = Counter(result.family for result in here if result.breach)
        families = ", ".join(f"{family} {count}" for family, count in sorted(through.items()))
        lines.append(f"{layer:{width}}  {through.total():>3} of {len(here)}" + (f"  {families}" if families else ""))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, then each breach of every layer but the naive one, and each attack that the naive one stops."""
    parser = argparse.ArgumentParser(description="Run the corpus of attacks.")
    known = (*LAYERS, *WITHOUT)
    parser.add_argument(
        "--layer", action="append", choices=known, help="those of the first four that are there if not given"
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
        except RuntimeError as error:  # an ordinary user may install no filter without giving up privileges first
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
    out("how many files come through, by what is switched on:\n" + table(results) + "\n")
    for layer, why in refusing.items():
        out(f"{layer}: nothing is graded, {why}\n")
    out(f"honest files refused, of {len(honest())}:\n")
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
