"""What a question is: frozen records that the loader makes and everything else only reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "BugKey",
    "ChoiceKey",
    "CommonlyRead",
    "DeriveKey",
    "Difficulty",
    "Fence",
    "FollowUp",
    "Key",
    "Kind",
    "NumericKey",
    "Option",
    "PredictKey",
    "Question",
]


class Kind(StrEnum):
    """What the learner does with a question, and so how an answer to it is judged."""

    RECALL = "recall"
    """Answer aloud; the learner ticks the key points they made."""
    CHOICE = "choice"
    """Pick the one right option."""
    NUMERIC = "numeric"
    """Give one or more labelled numbers."""
    PREDICT = "predict"
    """Say what a program prints."""
    BUG = "bug"
    """Find the wrong line of a program."""
    DERIVE = "derive"
    """Give one or more labelled formulas."""


class Difficulty(StrEnum):
    """How hard a question is, as an interviewer would grade it."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block.

    Attributes:
        code: The text between the fences, ending in a newline unless empty.
        info: The words after the opening fence, such as `python torch`.
        line: The 1-based line of the file on which `code` starts.
    """

    code: str
    info: str
    line: int

    @property
    def is_python(self) -> bool:
        """Whether the fence holds Python that can be run."""
        return self.info.split()[:1] == ["python"]

    @property
    def needs_torch(self) -> bool:
        """Whether the fence says that it needs PyTorch."""
        return self.info.split() == ["python", "torch"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice question; `explanation` is shown once the learner has chosen."""

    text: str
    right: bool
    explanation: str | None


@dataclass(frozen=True, slots=True)
class ChoiceKey:
    """The options in the file's order, exactly one of them right."""

    options: tuple[Option, ...]

    @property
    def right(self) -> int:
        """The index of the right option."""
        return next(i for i, option in enumerate(self.options) if option.right)


@dataclass(frozen=True, slots=True)
class NumericKey:
    """Labelled numbers, right within a relative `tolerance` (absolute where the number is 0).

    Attributes:
        answers: Label to the number as its author wrote it, such as `0.25` or `1/3`.
        values: Label to the number it stands for.
        tolerance: The largest relative error accepted.
    """

    answers: Mapping[str, str]
    values: Mapping[str, float]
    tolerance: float


@dataclass(frozen=True, slots=True)
class PredictKey:
    """What the program in `program` prints."""

    program: Fence
    output: str


@dataclass(frozen=True, slots=True)
class BugKey:
    """The 1-based `line` of `program` that is wrong, and the text that mends it."""

    program: Fence
    line: int
    fix: str

    @property
    def mended(self) -> Fence:
        """The program with the wrong line replaced by its fix."""
        lines = self.program.code.splitlines()
        lines[self.line - 1] = self.fix
        return Fence("\n".join(lines) + "\n", self.program.info, self.program.line)


@dataclass(frozen=True, slots=True)
class DeriveKey:
    """Labelled formulas in Python syntax over `variables`."""

    variables: tuple[str, ...]
    answers: Mapping[str, str]


Key = ChoiceKey | NumericKey | PredictKey | BugKey | DeriveKey
"""What a judged question is held against; a recall question has none."""


@dataclass(frozen=True, slots=True)
class CommonlyRead:
    """A widespread claim that is wrong or imprecise, and what is true instead.

    Attributes:
        error: Its number among the errors found in the sources, counted from 1.
        claim: Markdown: the claim as it is commonly stated.
        fact: Markdown: the correction.
    """

    error: int
    claim: str
    fact: str


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What an interviewer would ask next, and where given the short answer to it."""

    question: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the bank; texts are Markdown with mathematics in Unicode.

    Attributes:
        id: Stable for ever, since a learner's history hangs on it.
        kind: How it is asked and judged.
        difficulty: How hard it is.
        minutes: How long a good spoken answer takes.
        topics: What it is about; the first is its home topic.
        sources: Where its facts come from, as document and question number.
        exercises: Ids of the exercises that practise it; they need not exist yet.
        title: The question in one line.
        body: The rest of the question, or an empty string.
        answer: What one would say.
        key_points: What an interviewer listens for, each understandable alone.
        wrong_answers: Common wrong answers, each with why it is wrong.
        commonly_read: Claims one often reads that are not so.
        follow_ups: What would be asked next.
        proofs: Programs that show the answer to be true.
        key: What an answer is judged against; None for recall.
        path: The file it stands in.
        line: The 1-based line on which it starts.
    """

    id: str
    kind: Kind
    difficulty: Difficulty
    minutes: float
    topics: tuple[str, ...]
    sources: tuple[str, ...]
    exercises: tuple[str, ...]
    title: str
    body: str
    answer: str
    key_points: tuple[str, ...]
    wrong_answers: tuple[str, ...]
    commonly_read: tuple[CommonlyRead, ...]
    follow_ups: tuple[FollowUp, ...]
    proofs: tuple[Fence, ...]
    key: Key | None
    path: Path
    line: int

    @property
    def home_topic(self) -> str:
        """The topic it is filed under."""
        return self.topics[0]
