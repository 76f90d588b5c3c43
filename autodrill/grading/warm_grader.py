"""A warm grader: a thread that grades the saved versions of a file, each in a process that was forked ahead."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from autodrill.errors import AutodrillError
from autodrill.grading.report import Report, Verdict

if TYPE_CHECKING:
    from types import TracebackType

    from autodrill.drills.exercise import Exercise
    from autodrill.drills.library import Library
    from autodrill.grading.cases.case_set import CaseSet
    from autodrill.grading.diagnosis.known_mistakes import KnownMistakes
    from autodrill.grading.submission import Submission
    from autodrill.sandbox.launcher import Launcher
    from autodrill.sandbox.libraries import Framework
    from autodrill.sandbox.runner import Runner

__all__ = ["Graded", "WarmGrader"]

_SHOW_SECONDS = 0.05
_END_SECONDS = 0.5  # an idle thread ends at once; one that waits for a submission is left to the end of the process


@dataclass(frozen=True, slots=True)
class Graded:
    """The outcome for one submission: its report, or the error that kept it from being graded."""

    exercise: Exercise
    submission: Submission
    outcome: Report | AutodrillError


class WarmGrader:
    """Grades the submission that was handed in last. Use it as a context manager, from one thread.

    The case set of an exercise is made once. After each report the next process is forked, so that the next submission
    finds it ready. A submission that waits is replaced by a later one; one that is being graded is not. JAX compiles
    each operation for each shape, so the process of an answer in JAX is kept for the next one.

    Args:
        library: Loads the exercises.
        launcher: Starts the processes. A file that is written with a framework gets processes that have imported it.
        seed: Seed of the cases.
        draw: Whether a failure has the tape of its case.
    """

    def __init__(self, library: Library, launcher: Launcher, seed: int, *, draw: bool = False) -> None:
        self.seed = seed
        self._draw = draw
        self._library = library
        self._launcher = launcher
        self._framework: Framework | None = None
        self._servers = ExitStack()
        self._launchers: dict[Framework, Launcher] = {}
        self._changed = threading.Condition()
        self._waiting: tuple[Exercise, Submission] | None = None
        self._running = False
        self._results: list[Graded] = []
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="warm grader", daemon=True)
        self._prepared: tuple[CaseSet, KnownMistakes] | None = None
        self._standby: dict[Framework | None, Runner] = {}  # kept apart: a half-written file has no framework

    def __enter__(self) -> Self:
        self._ours, self._theirs = os.pipe()
        os.set_blocking(self._ours, False)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(_END_SECONDS)
        if not self._thread.is_alive():
            os.close(self._ours)
            os.close(self._theirs)

    @property
    def busy(self) -> bool:
        """Whether a submission waits or is being graded."""
        with self._changed:
            return self._running or self._waiting is not None

    def fileno(self) -> int:
        """Return a descriptor that is readable once there is a result."""
        return self._ours

    def submit(self, exercise: Exercise, submission: Submission) -> None:
        """Hand in a submission and return at once."""
        with self._changed:
            self._waiting = exercise, submission
            self._changed.notify()

    def results(self) -> list[Graded]:
        """Return the results since the last call, oldest first."""
        with self._changed:
            found, self._results = self._results, []
        if found:
            os.read(self._ours, 4096)
        return found

    def _work(self) -> None:
        while True:
            with self._changed:
                self._running = False
                self._changed.wait_for(lambda: self._waiting is not None or self._closed)
                if self._closed or self._waiting is None:
                    break
                exercise, submission = self._waiting
                self._waiting, self._running = None, True
            graded = Graded(exercise, submission, self._grade(exercise, submission))
            with self._changed:
                self._results.append(graded)
                self._running = self._waiting is not None
                os.write(self._theirs, b"!")
                # The report is shown first: it must not wait for the interpreter's lock, or for a processor.
                self._changed.wait_for(lambda: self._waiting is not None or self._closed, _SHOW_SECONDS)
            self._fork_ahead()
        self._drop_standby()
        self._servers.close()

    def _grade(self, exercise: Exercise, submission: Submission) -> Report | AutodrillError:
        from autodrill.grading.framework_answers import usable_framework
        from autodrill.grading.grade import grade, start_runner

        try:
            self._choose(usable_framework(exercise, submission.source))
            cases, known = self._prepare(exercise)
            runner = self._standby.pop(self._framework, None)
            if runner is None:
                runner = start_runner(cases.drill, cases.limits, self._launched_by)
                cases.make_ahead(None)  # while the process starts
            keep = self._framework is not None and self._framework.starts_threads
            try:
                return grade(
                    cases.drill,
                    replace(submission, framework=self._framework),
                    seed=self.seed,
                    runner=runner,
                    keep_runner=keep,
                    case_set=cases,
                    known=known,
                    draw=self._draw,
                )
            finally:
                if keep and not runner.finished:
                    self._standby[self._framework] = runner
        except AutodrillError as error:
            return error
        except Exception as error:  # noqa: BLE001  the thread must go on, and the report says what happened
            detail = f"{type(error).__name__}: {error}"
            return Report(exercise.id, submission.path, Verdict.INTERNAL, self.seed, detail=detail)

    def _prepare(self, exercise: Exercise) -> tuple[CaseSet, KnownMistakes]:
        """Return the cases of an exercise, made at its first submission."""
        if self._prepared is None or self._prepared[0].drill.exercise != exercise:
            from autodrill.grading.cases.case_set import CaseSet
            from autodrill.grading.diagnosis.known_mistakes import KnownMistakes

            self._drop_standby()
            drill = self._library.drill(exercise)
            self._prepared = CaseSet(drill, self.seed), KnownMistakes(drill)
        return self._prepared

    def _fork_ahead(self) -> None:
        """Start the process of the next submission, and import what explains a wrong answer."""
        if self._prepared is None or self._framework in self._standby or self._waiting is not None or self._closed:
            return
        from autodrill.grading.grade import start_runner

        with suppress(AutodrillError):  # `grade` meets the same error, and reports it
            runner = start_runner(self._prepared[0].drill, self._prepared[0].limits, self._launched_by)
            self._standby[self._framework] = runner
        import autodrill.grading.diagnosis.explain  # noqa: F401  loaded for the first wrong answer

    def _choose(self, framework: Framework | None) -> None:
        """Take the processes of a framework; its fork server is started at its first submission, and kept."""
        self._framework = framework
        if framework is not None and framework not in self._launchers:
            from autodrill.sandbox.fork_server import own_code_launcher

            self._launchers[framework] = self._servers.enter_context(own_code_launcher(framework))

    @property
    def _launched_by(self) -> Launcher:
        return self._launcher if self._framework is None else self._launchers[self._framework]

    def _drop_standby(self) -> None:
        while self._standby:
            self._standby.popitem()[1].close()
