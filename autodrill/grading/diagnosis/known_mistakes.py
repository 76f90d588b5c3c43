"""Known mistakes of an exercise: their answers to questions, and which of them answers as the candidate's code does."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule
from autodrill.drills.case import DISTINCT, RANDOM
from autodrill.grading.cases.case_set import put
from autodrill.grading.diagnosis.similarity import (
    Likeness,
    class_of,
    has_numbers,
    likeness,
    of_forward,
    ordinary,
    suffix_of,
)
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation, Question
    from autodrill.sandbox.runner import Runner

__all__ = ["KnownAnswers", "KnownMistakes", "LargeCase", "SpareRunner", "known_rule", "rule_of_mistake"]

_LOAD_SECONDS = 10.0
"""Time limit of loading a mistake, which is code of the author: on a busy machine a second may not be enough."""

_FEW = 2
"""The most exceptions that a message names. If there are more, it says "some cases"."""

_LEAST, _MOST_OF_THEM = 3, 2 / 3
"""Number of ordinary cases, and their share, in which a mistake must have the same wrong numbers if it differs in other
cases. A condition, such as a skipped tile, can shield some cases from the mistake."""


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


@dataclass(frozen=True, slots=True)
class LargeCase:
    """A large case in which the candidate's code fails.

    Attributes:
        index: Its index in the battery.
        by_numbers: Whether its numbers are wrong there; otherwise its cost is.
        fails: Whether the code that is loaded in a runner fails there in the same way.
    """

    index: int
    by_numbers: bool
    fails: Callable[[Runner], bool]


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
        self._failing: dict[tuple[str, str, int, bool], bool] = {}

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

    def fails(self, mistake: Mistake, answers: KnownAnswers, spare: SpareRunner, large: LargeCase) -> bool:
        """Whether a mistake fails in a large case. Small cases show nothing of its cost.

        Args:
            mistake: The mistake.
            answers: Its answers, with the mistake loaded last in `spare`.
            spare: The runner for it.
            large: The large case.
        """
        key = mistake.source, spare.device, large.index, large.by_numbers
        if key not in self._failing:
            self._failing[key] = answers.load() and large.fails(spare.start())
        return self._failing[key]


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


@dataclass(slots=True)
class _Match:
    """How a mistake's answers resemble the candidate's.

    Attributes:
        mistake: The mistake.
        degree: The least likeness of the cases that count.
        exceptions: The cases in which the two answers differ.
    """

    mistake: Mistake
    degree: Likeness
    exceptions: list[Observation] = field(default_factory=list)

    @property
    def rank(self) -> tuple[bool, Likeness, int]:
        """The order of preference: a larger rank explains more."""
        exact = self.degree in (Likeness.SAME, Likeness.PARTLY) and not self.exceptions
        return exact, self.degree, -len(self.exceptions)


def known_rule(
    spare: SpareRunner,
    drill: Drill,
    known_mistakes: KnownMistakes,
    failing: Sequence[Observation],
    passing: Sequence[Observation],
    large: LargeCase | None = None,
) -> Rule | None:
    """Return the rule of the known mistake that answers as the candidate's code does, or None.

    The first failing case and the ordinary ones decide. A mistake that differs only in degenerate cases, in another
    dtype or layout, or in few ordinary cases is named with these exceptions, unless another mistake matches better. An
    answer with a wrong forward is compared by the forward alone.

    Args:
        spare: The runner for the mistakes.
        drill: The exercise.
        known_mistakes: Its known mistakes.
        failing: Failing observations, the one to be shown first; never empty.
        passing: Passing observations.
        large: The large case that is shown, if one is.
    """
    first = failing[0]
    # Mistakes are compared in small cases, which show nothing of a deep recursion.
    if first.case.large and isinstance(first.outcome, ends.Raised) and first.outcome.type == "RecursionError":
        return None
    ever_wrong = {i for o in failing for i, wrong in enumerate(o.wrong) if wrong}
    forgiven = failing[0].case.remark
    best: _Match | None = None
    for mistake in sorted(drill.solution.mistakes, key=lambda m: m.remark is not forgiven):
        if spare.finished:
            break
        answers = known_mistakes.of(mistake, spare)
        match = _match(drill, mistake, answers, [*failing, *passing], ever_wrong) if answers else None
        if match and answers and large and not known_mistakes.fails(mistake, answers, spare, large):
            continue
        if match is not None and (best is None or match.rank > best.rank):
            best = match
        if best is not None and best.degree is Likeness.SAME and not best.exceptions:
            break
    return _as_rule(best, failing[0], ever_wrong) if best else None


def rule_of_mistake(mistake: Mistake | None) -> Rule | None:
    """Return the rule of a known mistake."""
    return Rule(mistake.key, mistake.because, mistake.hint, known=True) if mistake else None


def _match(
    drill: Drill, mistake: Mistake, answers: KnownAnswers, mine: Sequence[Observation], ever_wrong: set[int]
) -> _Match | None:
    """Compare a mistake's answers with the candidate's. Large cases are left out: small ones show the same."""
    asked = [o for o in mine if o.question is not None and not o.case.large]
    if not asked:
        return None
    decisive = {id(o) for o in ordinary(asked)}
    shown, found = asked[0], _Match(mistake, Likeness.SAME)
    asked = [shown, *sorted(asked[1:], key=lambda o: id(o) not in decisive)]
    same = informative = 0
    with closing(answers.to([o.question for o in asked if o.question is not None])) as observations:
        for o in asked:
            theirs = next(observations, None)
            if theirs is None:
                return None
            alike = likeness(o, of_forward(drill, theirs, ever_wrong), ever_wrong)
            if alike is not Likeness.DIFFERENT:
                found.degree = min(found.degree, alike)
            elif o is shown:
                return None
            else:
                found.exceptions.append(o)
            if id(o) in decisive:
                same += alike >= Likeness.NEAR and any(o.wrong)
                informative += o.fault is not None or alike is Likeness.DIFFERENT
    if found.degree is Likeness.PARTLY and all(o.fault is None for o in asked):
        return None  # a mistake that spoils other results in every small case explains nothing of the large one
    if not found.exceptions:
        return found
    in_ordinary = any(id(o) in decisive for o in found.exceptions)
    if in_ordinary and (same < max(_LEAST, _MOST_OF_THEM * informative) or found.degree < Likeness.NEAR):
        return None
    return found if same else None


def _as_rule(match: _Match, shown: Observation, ever_wrong: set[int]) -> Rule:
    mistake = match.mistake
    words = mistake.because
    if match.degree is Likeness.PARTLY:  # the mistake gets further results wrong
        names = [part.name for i, part in enumerate(shown.expected.parts) if i in ever_wrong]
        words += f", but only in {' and '.join(names)}"
    words += _except(match.exceptions)
    return Rule(mistake.key, words, mistake.hint, known=True)


def _except(exceptions: Sequence[Observation]) -> str:
    """Return the cases in which the candidate's code does not follow the mistake, in words."""
    if not exceptions:
        return ""
    places = list(dict.fromkeys(map(_place, exceptions)))
    where = " and ".join(places) if len(places) <= _FEW else "some special cases"
    if all(o.fault is None for o in exceptions):
        return f", except for {where}"
    return f"; something else happens for {where}"


def _place(o: Observation) -> str:
    if not has_numbers(o):
        return "an empty array"
    suffix = suffix_of(o)
    if suffix in ("", DISTINCT, RANDOM):
        return f"'{class_of(o)}'"
    return {"not contiguous": "strided arrays", "float32": "float32"}.get(suffix, f"'{suffix}'")
