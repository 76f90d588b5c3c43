"""What `watch` does without a screen: it grades each saved version of a file, and logs it as `check` does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from autodrill.cli.attempt_log import Logged, log_report
from autodrill.cli.saved_file import SavedFile
from autodrill.drills.exercise import starting_file
from autodrill.drills.framework_stub import unanswered_files
from autodrill.errors import AutodrillError
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.cli.learner_files import Work
    from autodrill.grading.report import Report
    from autodrill.grading.warm_grader import WarmGrader
    from autodrill.practice.store import Store

__all__ = ["Watching"]


class Watching:
    """The file that is watched, and the verdict on it.

    Args:
        work: The exercise and the file.
        grader: Grades the file.
        store: The open history; None if it cannot be opened, which the first attempt to log then reports.
        clock: A monotonic clock.

    Attributes:
        work: The exercise and the file now.
        file: The file, polled.
        report: The verdict on the last save; None as long as there is none.
        earlier: The verdict on the save before it.
        error: Why the last save cannot be graded, or None.
        logged: What was logged with the last verdict.
        stub: The content of a file that has no answer yet.
        praise: A line about the first pass of a session; empty at any other verdict.
    """

    def __init__(
        self, work: Work, grader: WarmGrader, store: Store | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._grader = grader
        self._store = store
        self._clock = clock
        self._celebrated: set[str] = set()
        self.begin(work)

    def begin(self, work: Work) -> None:
        """Watch another file."""
        self.work = work
        self.file = SavedFile(work.path, self._clock)
        self.report: Report | None = None
        self.earlier: Report | None = None
        self.error: AutodrillError | None = None
        self.logged = Logged()
        self.praise = ""
        self.stub = starting_file(work.exercise).encode()
        self._unanswered = unanswered_files(work.exercise)
        self._submission: Submission | None = None
        self._by_hand = False
        self._started = self._submitted = self._clock()
        self._saves = 0
        self._last_logged = self._in_the_log()

    @property
    def waited(self) -> float:
        """The seconds since the submission that is being graded was handed in; 0 if there is none."""
        return 0.0 if self._submission is None else self._clock() - self._submitted

    @property
    def edited(self) -> bool:
        """Whether there is a file that is not the stub."""
        return self.file.problem is None and self.file.saved is not None and self.file.source != self.stub

    def step(self) -> bool:
        """Look at the file, hand in a new version, take the verdict. Return whether there is something new to show."""
        changed = self.file.poll()
        if changed:
            self._submission = None
            if self.file.problem is None:
                self._hand_in(by_hand=False)
        for graded in self._grader.results():
            # A save that came meanwhile makes the verdict outdated: an editor may have written only half of the file.
            if graded.submission is self._submission:
                self._submission = None
                self._take(graded.outcome)
                changed = True
        return changed

    def run(self) -> None:
        """Grade the file again."""
        if self.file.problem is None:
            self._hand_in(by_hand=True)

    def repeat(self) -> None:
        """Start a grading again that was under way, for example when the process was stopped meanwhile."""
        if self._submission is not None:
            self._hand_in(by_hand=self._by_hand)

    def _hand_in(self, *, by_hand: bool) -> None:
        path = self.work.path
        self._submission = Submission(self.file.source, path.name, str(path))
        self._by_hand = by_hand
        self._submitted = self._clock()
        self._grader.submit(self.work.exercise, self._submission)

    def _take(self, outcome: Report | AutodrillError) -> None:
        if isinstance(outcome, AutodrillError):
            self.error = outcome
            return
        self.error = None
        self.earlier, self.report = self.report, outcome
        self.praise, self.logged = "", Logged()
        counts = outcome.verdict is not Verdict.INTERNAL and self.file.source not in self._unanswered
        # A file that was only opened, or is saved again as it was, is in the log already.
        if counts and (self._by_hand or self._last_logged != (outcome.verdict, self.file.source)):
            self._saves += 1
            self.logged = log_report(outcome, self.file.source, self._store, self.file.saved)
            self._last_logged = outcome.verdict, self.file.source
            if outcome.verdict is Verdict.PASS:
                self._celebrate()

    def _celebrate(self) -> None:
        if self.work.exercise.id in self._celebrated:
            return
        self._celebrated.add(self.work.exercise.id)
        minutes = round((self._clock() - self._started) / 60)
        time_taken = "under a minute" if minutes < 1 else f"{minutes} minute{'s' if minutes != 1 else ''}"
        self.praise = f"Well done. Solved in {time_taken}, at attempt {self._saves}."

    def _in_the_log(self) -> tuple[str, bytes] | None:
        """Return the verdict and the code of the last attempt at the exercise."""
        last = self._store.attempts(self.work.exercise.id)[-1:] if self._store else []
        return (last[0].verdict, last[0].source.encode()) if last else None
