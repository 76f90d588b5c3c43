"""Predictions: what is asked about the gradients of an exercise before its code, and how an answer is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from autodrill.bank.judge import Judgement, Outcome, judge_number
from autodrill.practice.log_records import Rating, prediction_card
from autodrill.practice.schedule import schedule_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from autodrill.grading.cases.hand_case import HandCase
    from autodrill.practice.store import Store

    Shape = tuple[int, ...]

__all__ = ["Asked", "Predicted", "due_prediction", "judge_shape", "log_prediction", "questions_of"]

_TOLERANCE = 1e-3
_SHAPE = re.compile(r"[(\[]?\s*(?P<sizes>\d{1,4}(?:\s*[,x× ]\s*\d{1,4})*)?\s*,?\s*[)\]]?", re.IGNORECASE)
_NUMBER_WORDS = ("scalar", "a scalar", "number", "a number", "0-d")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about a gradient.

    Attributes:
        label: What is asked, such as `shape of da` or `da[0, 1]`.
        answer: The right answer, as text.
        judge: Judges what was typed.
    """

    label: str
    answer: str
    judge: Callable[[str], Judgement]


@dataclass(frozen=True, slots=True)
class Predicted:
    """What was typed for one question.

    Attributes:
        label: What was asked.
        typed: Each answer, the first at the front.
        right: Whether the last one is right. If not, the right answer was shown.
    """

    label: str
    typed: tuple[str, ...]
    right: bool

    @property
    def rating(self) -> Rating:
        """Good if the first answer is right, Hard if a later one is, Again if the right answer was shown."""
        if not self.right:
            return Rating.AGAIN
        return Rating.GOOD if len(self.typed) == 1 else Rating.HARD


def questions_of(found: HandCase) -> list[Asked]:
    """Return the questions about a case: the shape of each gradient that is an array, then one value."""
    from autodrill.grading.cases.hand_case import number_text, place_text

    shapes = found.shapes
    asked = [
        Asked(
            f"shape of {name}",
            str(gradient.shape),
            partial(judge_shape, want=gradient.shape, name=name, of=of, shapes=shapes, upstream=found.upstream),
        )
        for name, of, gradient in found.gradients
        if gradient.ndim
    ]
    if found.asked:
        after = " after the call" if found.asked in found.given else ""
        label = f"{found.asked}{place_text(found.place)}{after}"
        judge = partial(judge_number, want=found.value, tolerance=_TOLERANCE, others=found.confusions)
        asked.append(Asked(label, number_text(found.value), judge))
    return asked


def judge_shape(typed: str, want: Shape, name: str, of: str, shapes: Mapping[str, Shape], upstream: Shape) -> Judgement:
    """Judge the shape of a gradient, typed as `(2, 3)`, `2, 3`, `2x3`, `()` or `a.shape`.

    Args:
        typed: The typed text.
        want: The right shape.
        name: The name of the gradient.
        of: The input that it belongs to; empty for the tangent of the output.
        shapes: The shape of each input.
        upstream: The shape of the upstream gradient.
    """
    got = _read(typed, shapes)
    if got is None:
        return Judgement(Outcome.UNREADABLE, "type a shape, such as (2, 3), or () for a number")
    if got == want:
        return Judgement(Outcome.RIGHT, f"{name} has the shape of {of}" if of else f"{got} is right")
    return Judgement(Outcome.WRONG, f"{got} {_shape_fault(got, want, of, shapes, upstream)}")


def log_prediction(
    store: Store, exercise: str, answers: Sequence[Predicted], seconds: float, now: datetime
) -> datetime:
    """Append the review of a prediction, and return when it is due again. The worst answer gives the rating.

    Raises:
        StoreError: The log cannot be written.
    """
    card = prediction_card(exercise)
    earlier = store.reviews(card)
    every = [(a, text, n == len(a.typed) and a.right) for a in answers for n, text in enumerate(a.typed, 1)]
    detail = {
        "answers": [{"label": answer.label, "text": text} for answer, text, _ in every],
        "right": [right for *_, right in every],
        "seconds": round(seconds, 1),
    }
    review = store.add_review(card, min(answer.rating for answer in answers), now, detail)
    return schedule_of(store, now, earlier).add(review).due


def due_prediction(store: Store, names: Sequence[str], now: datetime) -> str | None:
    """Return the exercise whose prediction has been due longest, or None.

    Args:
        store: The history.
        names: The exercises of the library.
        now: The time.
    """
    reviews = [review for review in store.reviews() if review.card.startswith(prediction_card(""))]
    due = [state.card.removeprefix(prediction_card("")) for state in schedule_of(store, now, reviews).due(now)]
    return next((name for name in due if name in names), None)


def _read(typed: str, shapes: Mapping[str, Shape]) -> Shape | None:
    text = typed.rpartition("=")[2].strip()
    if text.casefold() in _NUMBER_WORDS:
        return ()
    named = text.removesuffix(".shape")
    if named != text:
        return shapes.get(named)
    match = _SHAPE.fullmatch(text)
    if match is None or not text:
        return None
    return tuple(int(size) for size in re.findall(r"\d+", match["sizes"] or ""))


def _shape_fault(got: Shape, want: Shape, of: str, shapes: Mapping[str, Shape], upstream: Shape) -> str:
    """Return what is wrong with a shape, as a predicate."""
    if got == upstream and of:
        return f"is the shape of the upstream gradient; which axes of {of} did the forward copy or sum?"
    others = [name for name, shape in shapes.items() if shape == got and name != of]
    if others:
        return f"is the shape of {others[0]}; each gradient belongs to one input"
    if sorted(got) == sorted(want):
        return "has the right sizes in the wrong order: it is transposed"
    if [n for n in got if n != 1] == [n for n in want if n != 1]:
        return f"has {'too few' if len(got) < len(want) else 'too many'} axes of size 1"
    if len(got) != len(want):
        return f"has {'too few' if len(got) < len(want) else 'too many'} axes"
    whose = f"a gradient has the shape of its input {of}" if of else "a tangent has the shape of its value"
    return f"is not right: {whose}"
