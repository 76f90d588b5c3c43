"""The screens of an interview: the plan, the verdict that reveals no rule, the report, and the list of interviews."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, NumericKey, PredictKey
from autodrill.drills.answer_records import FaultKind
from autodrill.grading.report import FATAL, Verdict
from autodrill.practice.interview_plan import Form
from autodrill.render.plain import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from autodrill.bank.questions import Question
    from autodrill.grading.report import Report
    from autodrill.practice.interview_log import Interview
    from autodrill.practice.interview_plan import Plan, Step
    from autodrill.practice.interview_report import Answered, Coded, InterviewReport, TopicResult
    from autodrill.render.plain import Paint, Symbols

__all__ = [
    "clock",
    "code_line",
    "headline",
    "list_lines",
    "place_of",
    "plan_lines",
    "report_lines",
    "right_answer",
    "sober_verdict",
    "spelled",
    "title_of",
]

_NAMES = {"gpu-systems": "GPU systems", "post-training": "post-training"}
_ENDED = {"early": "You ended it early.", "given up": "You gave it up, so its answers are not marked."}
_SHOWN_EXERCISES, _SHOWN_MISSED = 6, 5
_SHOWN_LINES = 6
_WHOLE = "\0"
"""A space at which no line is broken, such as the space between a topic and its number."""
"""Lines of a typed answer that the report on the screen shows. The exported report has all of them."""
_RUNS = FATAL | {FaultKind.SYNTAX, FaultKind.COMPILE, FaultKind.RAISED}
"""Faults of code that does not run. A person who runs the tests sees them, so an interview shows them too."""


def spelled(name: str) -> str:
    """Return a role in words."""
    return _NAMES.get(name, name.replace("-", " "))


def clock(seconds: float) -> str:
    """Return seconds as minutes and seconds.

    >>> clock(1880)
    '31:20'
    """
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"


def title_of(plan: Plan, symbols: Symbols) -> str:
    """Return the title of a frame."""
    between = f" {symbols.dot} "
    return between.join(["interview", spelled(plan.role), f"{plan.minutes} min"])


def place_of(at: int, steps: Sequence[Step], symbols: Symbols) -> str:
    """Return where a step is among the steps so far, what it is, and how long it should take."""
    step = steps[at]
    planned = sum(each.form is not Form.FOLLOW_UP for each in steps)
    number = "follow-up" if step.form is Form.FOLLOW_UP else f"{at + 1} of {planned} {symbols.dot} {step.kind}"
    return f"{number} {symbols.dot} about {step.minutes:g} min"


def sober_verdict(report: Report, symbols: Symbols) -> tuple[str, str]:
    """Return what an interviewer's tests would say about code, and its colour: how many cases pass, and no rule."""
    if report.verdict is Verdict.PASS:
        return f"{symbols.yes} PASS  all {report.cases} cases pass", "green"
    if report.verdict is Verdict.INTERNAL or report.failure is None:
        return f"! INTERNAL  {clean(report.detail)}", "amber"
    failure = report.failure
    if failure.kind is FaultKind.NOT_IMPLEMENTED:
        return "Write the answer and save the file. The tests run at every save.", "amber"
    word = str(report.verdict).upper()
    if failure.kind in _RUNS:
        line = f"line {failure.line}: " if failure.line else ""
        return f"{symbols.no} {word}  {line}{clean(failure.summary)}", "red"
    return f"{symbols.no} {word}  {report.passed} of {report.cases} cases pass", "red"


def right_answer(question: Question) -> str:
    """Return the right answer of a judged question as text."""
    match question.key:
        case ChoiceKey() as key:
            return key.options[key.right].text
        case NumericKey() | DeriveKey() as key:
            return "\n".join(f"{label} = {text}" if label else text for label, text in key.answers.items())
        case PredictKey() as key:
            return key.output.strip("\n")
        case BugKey() as key:
            return f"line {key.line}: {key.fix.strip()}"
        case None:
            return ""


def plan_lines(plan: Plan, paint: Paint, width: int) -> Iterator[str]:
    """Yield a plan: what is asked, about what, and for how long. There are no answers."""
    total = sum(step.minutes for step in plan.steps)
    head = f"interview for {spelled(plan.role)}, {plan.level}, {plan.minutes} min, seed {plan.seed}"
    yield from _wrap(head, width)
    yield ""
    for number, step in enumerate(plan.steps, 1):
        first = f"{number:>3}  {f'{step.minutes:g}':>4} min  "
        what = f"{step.topic}: {clean(step.title)} ({step.kind})"
        yield from _wrap(what, width, first, " " * len(first))
    yield ""
    rest = f"{total:g} of {plan.minutes} min planned; the rest is for follow-ups"
    yield from (paint(line, "dim") for line in _wrap(rest, width))


def headline(report: InterviewReport) -> str:
    """Return the number, the role, the level and the time of a report."""
    return (
        f"interview {report.id}: {spelled(report.role)}, {report.level}, {report.at.astimezone():%Y-%m-%d}, "
        f"{clock(report.spent)} of {report.minutes}:00"
    )


def report_lines(
    report: InterviewReport, paint: Paint, symbols: Symbols, width: int, *, brief: bool = False
) -> Iterator[str]:
    """Yield the report of an interview.

    Args:
        report: The report.
        paint: Colours text.
        symbols: The signs that the terminal can show.
        width: The widest line.
        brief: Whether to leave out the answers, so that the report fits on a screen.
    """
    for line in _wrap(headline(report), width):
        yield paint(line, "bold")
    if report.ended == "time":
        yield from _wrap(f"Time was over with {_count(len(report.left), 'question')} left.", width)
    elif report.ended in _ENDED:
        yield _ENDED[report.ended]
    yield ""
    if report.of:
        yield f"You made {report.right} of {report.of} needed points."
    yield from _row("strong", _topics(report.strong), width, paint, "green")
    yield from _row("weak", _topics(report.weak), width, paint, "red")
    if brief:
        yield from _missed(report, width, paint)
    if report.coded is not None:
        yield from _row("code", code_line(report.coded), width, paint, "green" if report.coded.passed else "red")
    times = [f"{result.topic}{_WHOLE}{clock(result.seconds)}" for result in report.topics]
    yield from _row("time", ", ".join(times), width, paint)
    if not brief:
        for answer in report.answered:
            yield ""
            yield from _answer(answer, paint, symbols, width)
    if report.queued or report.exercises:
        yield ""
        yield paint("practise next", "bold")
        yield from _row("cards", ", ".join(report.queued), width, paint)
        yield from _row("code", ", ".join(report.exercises[:_SHOWN_EXERCISES]), width, paint)
        if report.queued:
            yield from _wrap("The cards are scheduled: `autodrill quiz` asks each one when it is due.", width)


def _missed(report: InterviewReport, width: int, paint: Paint) -> Iterator[str]:
    """Yield the points that were missed, as many as fit on a screen."""
    missed = [clean(text) for answer in report.answered if answer.form == Form.QUESTION for text in answer.missed]
    for number, text in enumerate(missed[:_SHOWN_MISSED]):
        yield from _row("" if number else "missed", text, width, paint, "red")
    if len(missed) > _SHOWN_MISSED:
        yield f"         and {len(missed) - _SHOWN_MISSED} more"


def _answer(answer: Answered, paint: Paint, symbols: Symbols, width: int) -> Iterator[str]:
    """Yield a question with what was typed, covered and missed."""
    for line in _wrap(clean(answer.title), width):
        yield paint(line, "bold")
    label = "follow-up" if answer.form == Form.FOLLOW_UP else answer.topic
    made = f", {answer.right} of {answer.of}" if answer.of else ""
    yield paint(f"  {label}, {clock(answer.seconds)} of {answer.minutes:g} min{made}", "dim")
    yield from _typed(answer.lines, width)
    if answer.judged:
        if answer.right == answer.of:
            yield f"  {symbols.yes} right"
        else:
            for number, line in enumerate(answer.answer.splitlines()):
                yield from _hanging("            " if number else f"  {symbols.no} right is  ", clean(line), width)
    for text, needed, said in answer.points:
        mark = f"{symbols.yes} made  " if said else f"{symbols.no} missed" if needed else "- bonus "
        yield from _hanging(f"  {mark}  ", clean(text), width)


def code_line(coded: Coded) -> str:
    """Return what became of the exercise, in one sentence."""
    if not coded.reached:
        return f"{coded.id}: not reached"
    tries = _count(len(coded.attempts), "try", "tries")
    rules = list(dict.fromkeys(attempt["rule"] for attempt in coded.attempts if attempt["rule"]))
    broken = f"; broken on the way: {', '.join(rules)}" if rules else ""
    if coded.passed:
        return f"{coded.id}: passed in {clock(coded.seconds)} with {tries}{broken}"
    if not coded.attempts:
        return f"{coded.id}: nothing was written in {clock(coded.seconds)}"
    last = coded.attempts[-1]
    why = f"the code behaves as if {last['because']}" if last["because"] else clean(last["summary"])
    return f"{coded.id}: not passed in {clock(coded.seconds)} with {tries}; {why}{broken}"


def list_lines(taken: Iterable[tuple[Interview, str]], paint: Paint) -> Iterator[str]:
    """Yield a line for each interview, with what became of it."""
    for interview, result in taken:
        plan = interview.plan
        facts = f"{spelled(plan.role)}, {plan.level}, {plan.minutes} min"
        yield f"{interview.id:>3}  {interview.at.astimezone():%Y-%m-%d %H:%M}  {facts:<36}  {paint(result, 'dim')}"


def _topics(results: Sequence[TopicResult]) -> str:
    found = (f"{result.topic} ({result.right} of {result.of})" for result in results)
    return ", ".join(each.replace(" ", _WHOLE) for each in found)


def _count(number: int, word: str, many: str = "") -> str:
    return f"{number} {word if number == 1 else many or word + 's'}"


def _row(label: str, text: str, width: int, paint: Paint, *style: str) -> Iterator[str]:
    if text:
        first, *rest = _hanging(f"  {label:<7}", text, width)
        yield "  " + paint(f"{label:<7}", *style) + first[9:]
        yield from rest


def _hanging(first: str, text: str, width: int) -> list[str]:
    indent = " " * min(len(first), 12)
    return _wrap(text, width, first, indent) or [first.rstrip()]


def _typed(lines: Sequence[str], width: int) -> Iterator[str]:
    """Yield the beginning of what was typed, line by line as it was."""
    for line in lines[:_SHOWN_LINES]:
        yield from _hanging("  > ", clean(line), width)
    if len(lines) > _SHOWN_LINES:
        yield f"  > ... {_count(len(lines) - _SHOWN_LINES, 'more line')}"
    if not lines:
        yield "  > nothing typed"


def _wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Break a text at spaces, but not at `_WHOLE`, so that names with hyphens and their numbers stay whole."""
    lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return [line.replace(_WHOLE, " ") for line in lines]
