"""The time of whole commands, with start-up, compared with PyTorch's gradcheck and an empty Python program.

Run `python benchmarks/startup.py [--runs N]`. Every round runs every command once, so that load on the machine slows
all of them. The medians of the rounds are compared. CPU time depends less on load than wall time. All modules are
byte-compiled first.
"""

from __future__ import annotations

import argparse
import compileall
import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

RIGHT = """\
def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""
WRONG = RIGHT.replace(" += ", " = ")
GRADCHECK = """\
import torch
x, y = (torch.randn(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
assert torch.autograd.gradcheck(torch.mul, (x, y))
"""
TORCH, BARE, NUMPY = "torch.autograd.gradcheck of x * y", "python -c pass", "import numpy"


@dataclass(frozen=True)
class Timed:
    """A command, its expected exit code, and the command that it is compared with."""

    label: str
    command: tuple[str, ...]
    code: int = 0
    against: str = ""
    target: float = 0.0


def commands(folder: Path) -> list[Timed]:
    """Return the commands; `folder` contains a right and a wrong answer."""
    autodrill = str(Path(sys.executable).with_name("autodrill"))
    right, wrong = str(folder / "right.py"), str(folder / "wrong.py")
    return [
        Timed(BARE, (sys.executable, "-c", "pass")),
        Timed(TORCH, (sys.executable, "-c", GRADCHECK)),
        Timed(
            "autodrill check mul_backward, right", (autodrill, "check", "mul_backward", "--file", right), 0, TORCH, 0.2
        ),
        Timed(
            "autodrill check mul_backward, wrong", (autodrill, "check", "mul_backward", "--file", wrong), 1, TORCH, 0.2
        ),
        Timed(NUMPY, (sys.executable, "-c", "import numpy")),
        Timed("import autodrill.engine", (sys.executable, "-c", "import autodrill.engine"), 0, NUMPY, 1.3),
        Timed("autodrill list", (autodrill, "list"), 0, BARE, 8),
        Timed("autodrill list --output-format json", (autodrill, "list", "--output-format", "json"), 0, BARE),
        Timed("autodrill stats", (autodrill, "stats"), 0, BARE, 8),
        Timed("autodrill --version", (autodrill, "--version"), 0, BARE),
        Timed("autodrill", (autodrill,), 0, BARE),
        Timed("autodrill quiz --limit 1 --no-input", (autodrill, "quiz", "--limit", "1", "--no-input"), 0, BARE),
    ]


def practise(home: Path) -> None:
    """Write the history of a learner who answers 10 cards a day for 40 days, and tries 20 exercises."""
    from autodrill.bank.question_index import question_ids
    from autodrill.drills.library import Library
    from autodrill.practice.log_records import Rating
    from autodrill.practice.store import Store

    now = datetime.now(UTC)
    questions, exercises = question_ids(), sorted(Library.open().paths)[:20]
    with Store.open(home / "history.db", now=now) as store:
        for number in range(400):
            at = now - timedelta(days=40) + timedelta(days=number // 10, minutes=number % 10)
            store.add_review(f"q:{questions[number % 100]}", Rating.GOOD if number % 7 else Rating.AGAIN, at)
            if number % 10 == 0:
                store.add_attempt(exercises[number // 20], "fail", WRONG, at, detail={"rule": "assign"})


def once(timed: Timed, environment: dict[str, str]) -> tuple[float, float]:
    """Run a command. Return the wall time and the CPU time of its process and the children it waited for, in seconds.

    Raises:
        RuntimeError: The exit code is not the expected one.
    """
    quiet = subprocess.DEVNULL
    started = time.perf_counter()
    process = subprocess.Popen(timed.command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)  # `wait4` has reaped the process; tell subprocess
    if process.returncode != timed.code:
        raise RuntimeError(f"`{timed.label}` ended with {process.returncode}, not {timed.code}")
    return wall, used.ru_utime + used.ru_stime


def machine() -> str:
    """Return the processor, the number of CPUs, the system, and the versions of Python and packages."""
    processor = platform.processor() or platform.machine()
    if (cpuinfo := Path("/proc/cpuinfo")).exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    packages = ("autodrill", "numpy", "typer", "rich", "torch")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    system = f"{platform.system()} {platform.release()}"
    return f"{processor}, {os.cpu_count()} CPUs, {system}, Python {platform.python_version()}\n{versions}"


def main() -> None:
    """Time every command and print medians, spreads and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21, help="rounds; each runs every command once (default 21)")
    runs = parser.parse_args().runs
    import autodrill

    compileall.compile_dir(Path(autodrill.__file__).parent, quiet=2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "right.py").write_text(RIGHT, encoding="utf-8")
        (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
        # An installed program runs from byte code; without byte code every import compiles again.
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
        environment |= {"AUTODRILL_HOME": str(folder / "home")}
        practise(folder / "home")
        every = commands(folder)
        taken: dict[str, list[tuple[float, float]]] = {timed.label: [] for timed in every}
        for timed in every:
            once(timed, environment)  # warm up the disk cache and create the history
        for _ in range(runs):
            for timed in every:
                taken[timed.label].append(once(timed, environment))
    report(every, {label: list(zip(*values, strict=True)) for label, values in taken.items()}, runs)


def report(every: list[Timed], taken: dict[str, list[tuple[float, ...]]], runs: int) -> None:
    """Print a line for each command: median wall time with its spread, median CPU time, and both ratios."""
    print(f"Whole processes, medians of {runs} interleaved rounds, ms\n{machine()}\n")
    print(f"{'':<40}{'wall':>6}{'least':>7}{'most':>7}{'cpu':>7}   wall / cpu ratio")
    medians = {label: [statistics.median(kind) * 1e3 for kind in kinds] for label, kinds in taken.items()}
    for timed in every:
        (wall, cpu), walls = medians[timed.label], taken[timed.label][0]
        line = f"{timed.label:<40}{wall:6.0f}{min(walls) * 1e3:7.0f}{max(walls) * 1e3:7.0f}{cpu:7.0f}"
        if timed.against:
            ratio, cpu_ratio = (ours / theirs for ours, theirs in zip((wall, cpu), medians[timed.against], strict=True))
            line += f"   {ratio:.2f} / {cpu_ratio:.2f} of {timed.against}"
            if timed.target:
                line += f", target {timed.target:g}: {'met' if ratio <= timed.target else 'MISSED'}"
        print(line)


if __name__ == "__main__":
    main()
