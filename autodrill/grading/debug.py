"""Debugging of one case: the candidate's own code under pdb, on their own terminal and without limits."""

from __future__ import annotations

import math
import signal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autodrill.drills.cases import battery, case_at
from autodrill.grading.cases.question import answering
from autodrill.grading.framework_answers import loading
from autodrill.grading.oracle.expected import expected_results
from autodrill.sandbox.launcher import launch_on_terminal
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.runner import RankMode, Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.drills.exercise import Drill
    from autodrill.grading.submission import Submission
    from autodrill.sandbox.launcher import Launcher
    from autodrill.sandbox.outcomes import CallOutcome, LoadOutcome

__all__ = ["debug", "step_through"]

_ANY_SIZE = 1 << 40


def step_through(drill: Drill, submission: Submission, *, seed: int, case: int) -> None:
    """Call the candidate's code on a case of the battery under pdb.

    Raises:
        UsageError: If the battery has no such case.
    """
    chosen = case_at(battery(drill, seed), case)
    args = drill.kind.arguments(drill, chosen, expected_results(drill, chosen))
    (entry, scenario), answer = loading(drill, submission.source, submission.framework), answering(drill, chosen)
    launcher = partial(launch_on_terminal, framework=submission.framework)
    debug(submission.source, submission.path, entry, scenario, args, answer, launcher=launcher)


def debug(
    source: bytes,
    filename: str,
    entry: str,
    scenario: str | None,
    args: Sequence[Any],
    answer: Callable[[Any], Any] | None = None,
    *,
    launcher: Launcher = launch_on_terminal,
) -> LoadOutcome | CallOutcome:
    """Load a file and make one call under pdb, in a process of its own on this terminal, without limits.

    pdb stops at the first line of the candidate's code that runs, and again at the line that raised an exception.

    Args:
        source: The file as it is on disk.
        filename: Its path if it has one, so that pdb and an editor show the same place.
        entry: The function or class to call.
        scenario: Source, trusted, that defines `drive(candidate, *args)`.
        args: Arguments as `Runner.call` takes them.
        answer: See `Request`.
        launcher: Starts the process.

    Returns:
        The outcome of the load if that failed, else of the call. `quit` in pdb is a `Raised` of `BdbQuit`.

    Raises:
        UsageError: This system cannot hold a candidate's process.
        InternalError: The scenario fails, or the process did not start.
    """
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the debugged process only
    try:
        with Runner.start(Limits(seconds=math.inf), launcher=launcher) as runner:
            path = str(Path(filename).resolve())  # pdb looks up lines by the absolute path
            loaded = runner.load(source, path, entry, scenario, ranks=RankMode.TOGETHER)
            return runner.call(args, budget=_ANY_SIZE, answer=answer) if isinstance(loaded, Loaded) else loaded
    finally:
        signal.signal(signal.SIGINT, interrupt)
