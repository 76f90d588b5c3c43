"""`autodrill predict`: say the shape and one value of each gradient before writing the code."""

import contextlib
import enum
import os
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.completion import complete_names
from autodrill.cli.options import Exit, Format, OutputFormat, Packs, again, now, open_store
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.drills.exercise import Exercise
    from autodrill.drills.library import Library
    from autodrill.grading.cases.hand_case import HandCase
    from autodrill.practice.prediction import Asked, Predicted
    from autodrill.render.plain import Paint

__all__ = ["predict"]

_TRIES = 2
_HOW = "Two tries each. An empty line shows the answer. A fraction such as 2/3 is fine."
_INDENT = " " * len("  x wrong  ")


class Reading(enum.StrEnum):
    """The ways to read answers."""

    AUTO = "auto"
    LINES = "lines"
    NONE = "none"


def predict(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="An exercise, or the beginning of its name. By default, the prediction that has been due longest.",
            autocompletion=complete_names,
            show_default=False,
        ),
    ] = None,
    answers: Annotated[
        Reading,
        typer.Option(
            "--input", help=("Read your answers from a terminal or from a pipe, or show the right answers at once.")
        ),
    ] = Reading.AUTO,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Predict the gradients before you write the code.

    You get a small case with whole numbers. Say the shape of each gradient, then one value. You have two tries for
    each, and an empty line shows the answer. Right at once is rated Good, right at the second try Hard, and shown
    Again. FSRS schedules the prediction, and another day you get other numbers.

    Examples:
      autodrill predict mul_broadcast_backward
      autodrill predict
    """
    from autodrill.drills.library import Library

    library = Library.open(pack or ())
    exercise = library.find(name) if name is not None else _due(library)
    if exercise is None:
        _say_none_due(library, output_format, again(pack))
        return
    found = _case(library, exercise)
    from autodrill.practice.prediction import questions_of

    asked = questions_of(found)
    if output_format is OutputFormat.JSON:
        _write_json(exercise, found, asked)
        return
    from autodrill.render.plain import Paint

    paint = Paint.for_stream(sys.stdout, os.environ)
    _show_case(exercise, found, paint)
    typing = answers is Reading.LINES or (answers is Reading.AUTO and sys.stdin.isatty() and sys.stdout.isatty())
    if not typing:
        _show_answers(exercise, found, asked, again(pack))
        return
    from autodrill.render.plain import say, width_of, wrapped

    say(paint(wrapped(_HOW, width_of(sys.stdout, os.environ)), "dim"))
    started = time.monotonic()
    try:
        given = [_ask(question, paint) for question in asked]
    except (EOFError, KeyboardInterrupt) as end:
        say("\nstopped; the prediction is not rated", err=True)
        raise typer.Exit(Exit.INTERRUPTED if isinstance(end, KeyboardInterrupt) else Exit.DONE) from None
    _close(exercise, found, given, time.monotonic() - started, paint, again(pack))


def _due(library: "Library") -> "Exercise | None":
    from autodrill.folders import history_file
    from autodrill.practice.prediction import due_prediction

    if not history_file(os.environ).exists():
        return None
    with open_store() as store:
        name = due_prediction(store, tuple(library.paths), now())
    return library.find(name) if name else None


def _say_none_due(library: "Library", output_format: OutputFormat, packs: str) -> None:
    """Say that no prediction is due, and name the first one that was never made."""
    from autodrill.drills.exercise import kind_named
    from autodrill.folders import history_file
    from autodrill.practice.log_records import prediction_card

    made = set()
    if history_file(os.environ).exists():
        with open_store() as store:
            made = {review.card for review in store.reviews()}
    new = [h.id for h in library.headings() if not kind_named(h.kind).no_prediction]
    upcoming = next((each for each in new if prediction_card(each) not in made), None)
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("predict", exercise=None, next=upcoming)
        return
    from autodrill.render.plain import say

    say("no prediction is due")
    if upcoming:
        say(f"next: autodrill predict {upcoming}{packs}", err=True)


def _case(library: "Library", exercise: "Exercise") -> "HandCase":
    """Return the case to predict; each review of the prediction gives other numbers.

    Raises:
        UsageError: The exercise has nothing to predict.
    """
    from autodrill.drills.exercise import kind_named
    from autodrill.folders import history_file
    from autodrill.practice.log_records import prediction_card

    reason = kind_named(exercise.kind).no_prediction
    found = None
    if not reason:
        from autodrill.grading.cases.hand_case import hand_case, no_hand_case

        drill = library.drill(exercise)
        seed = 0
        if history_file(os.environ).exists():
            with open_store() as store:
                seed = len(store.reviews(prediction_card(exercise.id)))
        reason = no_hand_case(drill)
        found = None if reason else hand_case(drill, seed)
    if found is None:
        hint = f"write it: autodrill open {exercise.id}"
        raise UsageError(f"`{exercise.id}` has nothing to predict: {reason or 'no case is short enough'}", hint=hint)
    return found


def _write_json(exercise: "Exercise", found: "HandCase", asked: "Sequence[Asked]") -> None:
    from autodrill.render.document import write_document
    from autodrill.render.prediction_screen import value_text

    write_document(
        "predict",
        exercise=exercise.id,
        given={name: value_text(value) for name, value in found.given.items()},
        questions=[{"label": question.label, "answer": question.answer} for question in asked],
        gradients={name: gradient.tolist() for name, _, gradient in found.gradients},
    )


def _show_case(exercise: "Exercise", found: "HandCase", paint: "Paint") -> None:
    """Show the task and the arguments."""
    from autodrill.render.console import stdout_console
    from autodrill.render.plain import fit, say, width_of
    from autodrill.render.prediction_screen import given_lines
    from autodrill.render.terminal_markdown import markdown

    width = width_of(sys.stdout, os.environ)
    say(f"{paint(exercise.id, 'bold')}  {fit(exercise.title, width - len(exercise.id) - 2)}")
    say()
    stdout_console().print(markdown(exercise.task))
    say()
    for line in given_lines(found, width):
        say(line)
    say()


def _show_answers(exercise: "Exercise", found: "HandCase", asked: "Sequence[Asked]", packs: str) -> None:
    """Show the questions with their answers, without asking. The command below them has the options `packs`."""
    from autodrill.render.plain import say, width_of
    from autodrill.render.prediction_screen import gradient_lines

    for question in asked:
        say(f"{question.label}: {question.answer}")
    say()
    for line in gradient_lines(found, width_of(sys.stdout, os.environ)):
        say(line)
    say("shown, not rated; to rate the prediction, use a terminal or `--input lines`", err=True)
    say(f"next: autodrill open {exercise.id}{packs}", err=True)


def _ask(question: "Asked", paint: "Paint") -> "Predicted":
    """Ask one question until the answer is right, or wrong twice, or an empty line gives up."""
    from autodrill.bank.judge import Outcome
    from autodrill.practice.prediction import Predicted
    from autodrill.render.plain import clean, say, symbols_for

    symbols = symbols_for(sys.stdout)
    typed: list[str] = []
    while len(typed) < _TRIES:
        text = _line(f"{question.label}: ")
        if not text.strip():
            break
        judgement = question.judge(text)
        if judgement.outcome is Outcome.UNREADABLE:
            say(f"  {clean(judgement.remark)}")
            continue
        typed.append(text)
        right = judgement.outcome is Outcome.RIGHT
        verdict = paint(f"{symbols.yes} right", "green") if right else paint(f"{symbols.no} wrong", "red")
        _say_wrapped(verdict, "" if judgement.remark.endswith(" is right") else clean(judgement.remark))
        if right:
            return Predicted(question.label, tuple(typed), right=True)
    say(f"  {symbols.arrow} the answer is {question.answer}")
    return Predicted(question.label, tuple(typed), right=False)


def _say_wrapped(verdict: str, remark: str) -> None:
    """Write a verdict and its remark; the remark continues below its own beginning."""
    import textwrap

    from autodrill.render.plain import say, width_of

    # The longest sign in ASCII and the word of the verdict take as many columns as the indent.
    first, *rest = textwrap.wrap(remark, width_of(sys.stdout, os.environ) - len(_INDENT)) or [""]
    say(f"  {verdict}  {first}".rstrip())
    for line in rest:
        say(f"{_INDENT}{line}")


def _line(prompt: str) -> str:
    """Read a line, with the terminal's line editing.

    Raises:
        EOFError: The input has ended.
    """
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - makes arrow keys work in input()
        return input(prompt)
    from autodrill.render.plain import clean, say

    line = sys.stdin.readline()
    if not line:
        raise EOFError
    text = line.rstrip("\r\n")
    say(f"{prompt}{clean(text)}".rstrip())  # a pipe does not echo what it sends
    return text


def _close(
    exercise: "Exercise",
    found: "HandCase",
    given: "Sequence[Predicted]",
    seconds: float,
    paint: "Paint",
    packs: str,
) -> None:
    """Log the prediction, show the right gradients, and say what is next. That command has the options `packs`."""
    from autodrill.practice.prediction import log_prediction
    from autodrill.render.plain import say, width_of
    from autodrill.render.prediction_screen import gradient_lines
    from autodrill.render.quiz_summary import interval

    moment = now()
    with open_store() as store:
        due = log_prediction(store, exercise.id, given, seconds, moment)
    say()
    for line in gradient_lines(found, width_of(sys.stdout, os.environ)):
        say(line)
    say()
    rating = min(answer.rating for answer in given)
    right = sum(answer.right for answer in given)
    say(f"{paint(rating.word, 'bold')}: {right} of {len(given)} right; asked again in {interval(due - moment)}")
    say(f"next: autodrill open {exercise.id}{packs}", err=True)
