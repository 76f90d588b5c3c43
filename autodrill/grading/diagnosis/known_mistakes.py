"""What an exercise's known mistakes answer: each is asked a question once, however many reports want to know."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from autodrill.grading.cases.arguments import scenario_source
from autodrill.grading.cases.pipeline import put_each
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.cases.compare import Observation
    from autodrill.grading.cases.question import Question
    from autodrill.sandbox.runner import Runner

__all__ = ["Answers", "Aside", "Known"]

_LOAD_SECONDS = 1.0


class Aside:
    """A process for other code than the candidates', started when it is needed, to be closed by whoever made it.

    Args:
        sibling: Starts such a process.
        device: What it runs kernels on: see `Runner.device`.

    Attributes:
        device: Likewise.
    """

    def __init__(self, sibling: Callable[[], Runner], device: str = "") -> None:
        self.device = device
        self._sibling = sibling
        self._runner: Runner | None = None

    def start(self) -> Runner:
        """Return the process, started at the first call."""
        if self._runner is None:
            self._runner = self._sibling()
        return self._runner

    @property
    def finished(self) -> bool:
        """Whether it was started and is gone."""
        return self._runner is not None and self._runner.finished

    def close(self) -> None:
        """End the process; the next call of `start` starts another."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None


class Known:
    """The known mistakes of an exercise, with what they have answered so far.

    Args:
        exercise: The exercise.
        solution: Its solution side.
    """

    def __init__(self, exercise: Exercise, solution: Solution) -> None:
        self._exercise = exercise
        self._solution = solution
        self._told: dict[tuple[str, str], dict[int, Observation]] = {}

    @property
    def untold(self) -> bool:
        """Whether nothing has been asked so far."""
        return not self._told

    def of(self, mistake: Mistake, aside: Aside) -> Answers | None:
        """Return a mistake's answers; None if it cannot be loaded.

        Args:
            mistake: The mistake.
            aside: Where to ask it what it was not asked before; nothing else may be loaded there meanwhile.
        """
        key = mistake.source, aside.device  # two devices may answer differently
        answers = Answers(self._exercise, self._solution, mistake, aside, self._told.get(key, {}))
        if key not in self._told:
            if not answers.load():
                return None
            self._told[key] = answers.told
        return answers


class Answers:
    """One mistake's answers to questions.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        mistake: The mistake.
        aside: Where to ask it.
        told: What it has answered before, by the identity of the question, which the answer keeps alive.
    """

    def __init__(
        self, exercise: Exercise, solution: Solution, mistake: Mistake, aside: Aside, told: dict[int, Observation]
    ) -> None:
        self.told = told
        self._exercise = exercise
        self._solution = solution
        self._mistake = mistake
        self._aside = aside
        self._loaded: bool | None = None

    def load(self) -> bool:
        """Load the mistake if this was not done, and return whether that succeeded."""
        if self._loaded is None:
            loaded = self._aside.start().load(
                self._mistake.source.encode(),
                self._exercise.path.name,
                self._exercise.entry,
                scenario_source(self._exercise, self._solution),
                seconds=_LOAD_SECONDS,
            )
            self._loaded = isinstance(loaded, ends.Loaded)
        return self._loaded

    def to(self, questions: Sequence[Question]) -> Generator[Observation]:
        """Yield the answers to questions, in their order, up to the first that cannot be asked.

        Few are asked ahead: the first answer often says enough. One that ended the process is not kept: the machine
        may have been busy.
        """
        with closing(self._ask([question for question in questions if id(question) not in self.told])) as answers:
            for question in questions:
                seen = self.told.get(id(question)) or next(answers, None)
                if seen is None:
                    return
                if not self._aside.finished:
                    self.told[id(question)] = seen
                yield seen

    def _ask(self, questions: Sequence[Question]) -> Generator[Observation]:
        if not self._aside.finished and self.load():
            yield from put_each(self._aside.start(), self._exercise, self._solution, questions, ahead=1)
