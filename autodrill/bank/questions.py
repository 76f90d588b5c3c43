"""The records of a question. `question_files` and `generated` make them; everything else only reads them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "LEAST_NEEDED",
    "MOST_NEEDED",
    "WORDS_A_MINUTE",
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


LEAST_NEEDED, MOST_NEEDED = 2, 3
"""How few and how many key points a good answer can need."""


WORDS_A_MINUTE = 200
"""How fast a technical text is read."""


class Kind(StrEnum):
    """The kind of a question: what the learner does, and how the answer is judged."""

    RECALL = "recall"
    """Answer aloud, then tick the key points made."""
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
    """The difficulty of a question, as an interviewer would grade it."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block.

    Attributes:
        code: The text between the fences, ending in a newline unless empty.
        info: The words after the opening fence, such as `python torch`.
        line: The 1-based line of the file where `code` starts.
    """

    code: str
    info: str
    line: int

    @property
    def is_python(self) -> bool:
        """Whether the fence contains a Python program."""
        return self.info.split()[:1] == ["python"]

    @property
    def needs_torch(self) -> bool:
        """Whether the fence is marked as needing PyTorch."""
        return self.info.split() == ["python", "torch"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice question; `explanation` is shown once the learner has chosen."""

    text: str
    right: bool
    explanation: str | None


@dataclass(frozen=True, slots=True)
class ChoiceKey:
    """The options in the order of the file. Exactly one is right."""

    options: tuple[Option, ...]

    @property
    def right(self) -> int:
        """The index of the right option."""
        return next(i for i, option in enumerate(self.options) if option.right)


@dataclass(frozen=True, slots=True)
class NumericKey:
    """Labelled numbers with a relative tolerance (absolute if the number is 0).

    Attributes:
        answers: For each label, the number as its author wrote it, such as `0.25` or `1/3`.
        values: For each label, the value of that number.
        tolerance: The largest relative error accepted.
    """

    answers: Mapping[str, str]
    values: Mapping[str, float]
    tolerance: float


@dataclass(frozen=True, slots=True)
class PredictKey:
    """A program and its output."""

    program: Fence
    output: str


@dataclass(frozen=True, slots=True)
class BugKey:
    """A program with a bug, the 1-based number of the wrong line, and the corrected line."""

    program: Fence
    line: int
    fix: str

    @property
    def fixed(self) -> Fence:
        """The program with the corrected line."""
        lines = self.program.code.splitlines()
        lines[self.line - 1] = self.fix
        return Fence("\n".join(lines) + "\n", self.program.info, self.program.line)


@dataclass(frozen=True, slots=True)
class DeriveKey:
    """Labelled formulas in Python syntax over `variables`."""

    variables: tuple[str, ...]
    answers: Mapping[str, str]


Key = ChoiceKey | NumericKey | PredictKey | BugKey | DeriveKey
"""What an answer is judged against; a recall question has no key."""


@dataclass(frozen=True, slots=True)
class CommonlyRead:
    """A widespread claim that is wrong or imprecise, with its correction.

    Attributes:
        claim: The claim as it is commonly stated, in Markdown.
        fact: The correction, in Markdown.
    """

    claim: str
    fact: str


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that an interviewer would ask next, with an optional short answer."""

    question: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the bank. Texts are Markdown, with mathematics in Unicode.

    Attributes:
        id: The id, which never changes because the learner's history refers to it.
        kind: How the question is asked and judged.
        difficulty: The difficulty.
        answering: How many minutes a good spoken answer takes, as its author states.
        topics: The topics; the first one is the home topic.
        sources: The sources of its facts, as document and question number.
        exercises: Ids of exercises that practise it; they may not exist yet.
        title: The question in one line.
        body: The rest of the question, or an empty string.
        answer: The answer in words.
        key_points: The points that an interviewer listens for, the needed ones first. Each is understandable alone.
        needed: How many key points a good answer needs. The others are a bonus.
        wrong_answers: Common wrong answers, each with the reason why it is wrong.
        commonly_read: Widespread claims that are wrong, with corrections.
        follow_ups: Questions that would be asked next.
        proofs: Programs that compute the answer's claims.
        key: What an answer is judged against; None for recall.
        path: The file of the question.
        line: The 1-based line where the question starts.
    """

    id: str
    kind: Kind
    difficulty: Difficulty
    answering: float
    topics: tuple[str, ...]
    sources: tuple[str, ...]
    exercises: tuple[str, ...]
    title: str
    body: str
    answer: str
    key_points: tuple[str, ...]
    needed: int
    wrong_answers: tuple[str, ...]
    commonly_read: tuple[CommonlyRead, ...]
    follow_ups: tuple[FollowUp, ...]
    proofs: tuple[Fence, ...]
    key: Key | None
    path: Path
    line: int

    @property
    def minutes(self) -> float:
        """How many minutes the card takes: reading it up to the key points, and answering; in halves."""
        options = self.key.options if isinstance(self.key, ChoiceKey) else ()
        texts = [self.title, self.body, self.answer, *self.key_points]
        texts += [text for option in options for text in (option.text, option.explanation or "")]
        words = sum(len(text.split()) for text in texts)
        return round(2 * (self.answering + words / WORDS_A_MINUTE)) / 2

    @property
    def home_topic(self) -> str:
        """The topic under which the question is filed."""
        return self.topics[0]
