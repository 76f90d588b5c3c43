"""The first screen of an interview: begin one, or go on with the one that is not finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.bank.questions import Kind
from autodrill.cli.bindings import Action, Binding, find
from autodrill.cli.interview_recorder import Recorder
from autodrill.cli.keyboard import ENTER
from autodrill.practice.interview_log import What
from autodrill.practice.interview_plan import Form
from autodrill.render.interview_screen import clock, spelled, title_of
from autodrill.render.plain import wrapped
from autodrill.render.watch_screen import page_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from autodrill.cli.frame import Frame
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.practice.interview_log import InterviewLog
    from autodrill.practice.interview_plan import Plan
    from autodrill.render.plain import Paint, Symbols

__all__ = ["start"]

_POLL = 0.2


def start(
    log: InterviewLog,
    make: Callable[[], Plan],
    keyboard: TerminalKeyboard,
    frame: Frame,
    paint: Paint,
    symbols: Symbols,
    clock_of: Callable[[], float],
    now: Callable[[], datetime],
) -> Recorder | None:
    """Return the recorder of the interview to take, or None if the learner takes none.

    Args:
        log: The interviews so far.
        make: Makes the plan of a new interview.
        keyboard: The keyboard.
        frame: The frame.
        paint: Colours text.
        symbols: The signs that the terminal can show.
        clock_of: Seconds, monotonic.
        now: The time of day.
    """
    unfinished = log.unfinished()
    if unfinished is not None:
        interview, state = unfinished
        done = len(state.answers)
        if state.ended:
            where = f"Its questions are over. {len(state.marked)} of {len(state.to_mark)} answers are marked."
        else:
            left = clock(max(60 * interview.plan.minutes - state.spent, 0))
            where = f"{done} of {len(state.steps)} steps are done, and {left} is left."
        body = [
            paint(f"Interview {interview.id} is not finished: {spelled(interview.plan.role)}.", "bold"),
            "",
            where,
            "The clock stood still while it was paused.",
        ]
        keys: tuple[Binding, ...] = (
            Binding((ENTER,), Action.GO_ON, "Enter", "go on", ""),
            *([] if state.ended else [Binding(("e",), Action.REVEAL, "e", "see the answers", "")]),
            Binding(("n",), Action.NEXT, "n", "give up, begin a new one", ""),
            Binding(("q",), Action.QUIT, "q", "quit", ""),
        )
        action = _choose(title_of(interview.plan, symbols), body, keys, keyboard, frame, paint)
        if action is Action.QUIT:
            return None
        recorder = Recorder(log, interview, clock_of, now)
        if action is Action.REVEAL:
            _hand_in_draft(recorder)
            recorder.write(What.END, why="early")
        if action is not Action.NEXT:
            return recorder
        recorder.write(What.CLOSE, why="given up")
    plan = make()
    questions = sum(step.form is Form.QUESTION for step in plan.steps)
    code = " and one exercise" if questions < len(plan.steps) else ""
    body = [
        paint(f"{questions} questions{code}, {plan.level} level", "bold"),
        "",
        f"You have {plan.minutes} minutes. If time is left, you get follow-ups.",
        "Nothing is revealed until the end.",
        "",
        "What you type is saved within a second. Ctrl-C pauses the clock.",
    ]
    keys = (
        Binding((ENTER,), Action.GO_ON, "Enter", "begin", ""),
        Binding(("q",), Action.QUIT, "q", "quit", ""),
    )
    if _choose(title_of(plan, symbols), body, keys, keyboard, frame, paint) is Action.QUIT:
        return None
    return Recorder(log, log.begin(plan, now()), clock_of, now)


def _hand_in_draft(recorder: Recorder) -> None:
    """Take the text that was being typed as an answer, so that it can be marked."""
    at = recorder.state.next_step
    if at is not None and recorder.state.steps[at].kind in {Kind.RECALL, Form.FOLLOW_UP}:
        text = "\n".join(recorder.state.drafts.get(at, []))
        if text.strip():
            recorder.write(What.ANSWER, at, typed=[["", text]])


def _choose(
    title: str, body: list[str], keys: tuple[Binding, ...], keyboard: TerminalKeyboard, frame: Frame, paint: Paint
) -> Action:
    """Show a screen until one of its keys is pressed."""
    while True:
        bar = [(key.shown, key.brief) for key in keys]
        # Breaking at words does not count colour codes, which only the first line has.
        indented = [part for line in body for part in wrapped(line, frame.size[0] - 4).splitlines() or [""]]
        indented = [f"  {line}" for line in indented]
        laid = page_of(title, "", indented, bar, notice="", paint=paint, size=frame.size, page=0)
        frame.show(laid.lines)
        frame.attend()
        stroke = keyboard.stroke_within(_POLL)
        binding = find(keys, stroke.lower()) if stroke else None
        if binding is not None:
            return binding.action
