"""A soak test: one worker grades honest and hostile files for a long time.

Run `python benchmarks/soak.py --minutes 30`. Each minute it prints the numbers of files and wrong verdicts, the
anonymous memory and the descriptors of the grader and its descendants, and the number of descendants. The last line is
the growth since the first minute.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from autodrill.grading.batch import Task, Worker  # noqa: E402  the corpus of attacks is in the repository
from autodrill.grading.grade import Submission  # noqa: E402
from autodrill.sandbox.launcher import CHECK_LIMITS  # noqa: E402
from tests.sandbox.attacks.corpus import honest, hostile, tricks  # noqa: E402
from tests.sandbox.attacks.world import World  # noqa: E402

EXERCISE = "mul_broadcast_backward"


@dataclass(frozen=True)
class State:
    """Resources that must not grow.

    Attributes:
        memory: The anonymous memory of the grader and its descendants, in KiB.
        descriptors: The open descriptors of the same processes.
        processes: The number of descendants of the grader.
        files: The number of files of attacks in the folders that attacks write to.
    """

    memory: int
    descriptors: int
    processes: int
    files: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    options = parser.parse_args()
    print(f"{options.minutes:g} minutes, {os.uname().sysname} {os.uname().release}, user {os.getuid()}", flush=True)
    # A shorter time limit than that of `grade`, so that endless files do not take most of the time.
    task = Task(EXERCISE, (), seed=1, limits=replace(CHECK_LIMITS, seconds=0.5))
    with World() as world, Worker(task) as worker:
        bad = [file for file in (*hostile(), *tricks()) if file.exercise == EXERCISE and file.is_possible()]
        good = itertools.cycle(honest())
        graded: Counter[str] = Counter()
        started = time.monotonic()
        first: State | None = None
        minute = 1
        for file in itertools.cycle(bad):
            for each, wanted in ((file, False), (next(good), True), (next(good), True)):
                source = each.source(world.values())
                report = worker.grade(Submission(source, f"{each.name}.py", each.title))
                graded["files"] += 1
                graded["wrong verdicts"] += (report.verdict == "pass") is not wanted
                graded["internal"] += report.verdict == "internal"
                if (report.verdict == "pass") is not wanted:
                    print(f"WRONG: {each.title}: {report.verdict} {report.detail}", flush=True)
            if time.monotonic() - started > 60 * minute:
                now = state()
                first = first or now
                print(f"minute {minute:3}: {dict(graded)} {now}", flush=True)
                minute += 1
            if time.monotonic() - started > 60 * options.minutes:
                break
        first = first or state()
        grown = [after - before for before, after in zip(astuple(first), astuple(state()), strict=True)]
        words = zip(("KiB of memory", "descriptors", "processes", "files"), grown, strict=True)
        print("since the first minute: " + ", ".join(f"{change:+} {what}" for what, change in words))


def state() -> State:
    family = [os.getpid(), *below(os.getpid())]
    watched = [Path(tempfile.gettempdir()), Path("/dev/shm"), Path.home()]
    return State(
        memory=sum(anonymous(process) for process in family),
        descriptors=sum(descriptors(process) for process in family),
        processes=len(family) - 1,
        files=sum(len(list(folder.glob("autodrill-attack-*"))) for folder in watched),
    )


def below(root: int) -> list[int]:
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                parents[int(folder.name)] = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def anonymous(process: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    return 0


def descriptors(process: int) -> int:
    with suppress(OSError):
        return len(list(Path(f"/proc/{process}/fd").iterdir()))
    return 0


if __name__ == "__main__":
    main()
