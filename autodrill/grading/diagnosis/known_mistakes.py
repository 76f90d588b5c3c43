"""Known mistakes of an exercise: their answers to questions, kept for many reports."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from autodrill.grading.cases.case_set import put
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation, Question
    from autodrill.sandbox.runner import Runner

__all__ = ["KnownAnswers", "KnownMistakes", "SpareRunner"]

_LOAD_SECONDS = 1.0


class SpareRunner:
    """A second runner, for code other than the candidate's, started when first needed. Close it after use.

    Args:
        sibling: Starts such a runner.
        device: The device of kernels: see `Runner.device`.

    Attributes:
        device: The device.
    """

    def __init__(self, sibling: Callable[[], Runner], device: str = "") -> None:
        self.device = device
        self._sibling = sibling
        self._runner: Runner | None = None

    def start(self) -> Runner:
        """Return the runner, started at the first call."""
        if self._runner is None:
            self._runner = self._sibling()
        return self._runner

    @property
    def finished(self) -> bool:
        """Whether it was started and its process is gone."""
        return self._runner is not None and self._runner.finished

    def close(self) -> None:
        """End its process. The next call of `start` starts another."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None


class KnownMistakes:
    """The known mistakes of an exercise, with their answers so far.

    Args:
        drill: The exercise.
        spare: The runner for them, kept by the caller for many files. None starts a runner for each file.
    """

    def __init__(self, drill: Drill, spare: SpareRunner | None = None) -> None:
        self._drill = drill
        self._spare = spare
        self._kept: dict[tuple[str, str], dict[int, Observation]] = {}

    @property
    def unasked(self) -> bool:
        """Whether no mistake has been asked so far."""
        return not self._kept

    @contextmanager
    def spare_for(self, runner: Runner) -> Iterator[SpareRunner]:
        """Provide a runner like `runner` for the known mistakes."""
        if self._spare is None or self._spare.device != runner.device:
            with closing(SpareRunner(lambda: runner.sibling(runner.limits), runner.device)) as spare:
                yield spare
            return
        if self._spare.finished:
            self._spare.close()
        yield self._spare

    def of(self, mistake: Mistake, spare: SpareRunner) -> KnownAnswers | None:
        """Return a mistake's answers; None if it cannot be loaded.

        Args:
            mistake: The mistake.
            spare: The runner for questions not asked yet. Load nothing else there meanwhile.
        """
        key = mistake.source, spare.device  # two devices may answer differently
        answers = KnownAnswers(self._drill, mistake, spare, self._kept.get(key, {}))
        if key not in self._kept:
            if not answers.load():
                return None
            self._kept[key] = answers.kept
        return answers


class KnownAnswers:
    """The answers of one mistake to questions.

    Args:
        drill: The exercise.
        mistake: The mistake.
        spare: The runner to ask it in.
        kept: Its answers so far, by the identity of the question, which the observation keeps alive.
    """

    def __init__(self, drill: Drill, mistake: Mistake, spare: SpareRunner, kept: dict[int, Observation]) -> None:
        self.kept = kept
        self._drill = drill
        self._mistake = mistake
        self._spare = spare
        self._loaded: bool | None = None

    def load(self) -> bool:
        """Load the mistake unless it is loaded, and return whether that succeeded."""
        if self._loaded is None:
            exercise = self._drill.exercise
            loaded = self._spare.start().load(
                self._mistake.source.encode(),
                exercise.path.name,
                exercise.entry,
                self._drill.kind.scenario(self._drill),
                seconds=_LOAD_SECONDS,
            )
            self._loaded = isinstance(loaded, ends.Loaded)
        return self._loaded

    def to(self, questions: Sequence[Question]) -> Generator[Observation]:
        """Yield the answers to questions in order, up to the first that cannot be asked.

        An answer that ended the process is not kept, because the machine may have been busy.
        """
        new = {id(question): question for question in questions if id(question) not in self.kept}
        with closing(self._ask([*new.values()])) as answers:
            for question in questions:
                seen = self.kept.get(id(question)) or next(answers, None)
                if seen is None:
                    return
                if not self._spare.finished:
                    self.kept[id(question)] = seen
                yield seen

    def _ask(self, questions: Sequence[Question]) -> Generator[Observation]:
        if not self._spare.finished and self.load():
            yield from put(self._spare.start(), self._drill, questions)
