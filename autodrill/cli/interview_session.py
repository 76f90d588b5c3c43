"""An interview on a terminal: it asks step by step, records everything as it happens, and reveals nothing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.judge import Outcome, judge_choice, letters
from autodrill.bank.questions import ChoiceKey
from autodrill.cli.asking import judges_of
from autodrill.cli.bindings import Action, Binding, find
from autodrill.cli.interview_coding import Coding
from autodrill.cli.interview_view import WIDEST, StepView
from autodrill.cli.keyboard import ENTER
from autodrill.cli.sitting import shuffled_options
from autodrill.cli.text_editor import TextEditor
from autodrill.errors import StoreError
from autodrill.practice.interview_log import What
from autodrill.practice.interview_plan import FOLLOW_UP_MINUTES, Form, follow_up, follow_ups, share_mentioned
from autodrill.render.card_screen import CardView
from autodrill.render.watch_screen import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from rich.console import RenderableType

    from autodrill.bank.judge import Judgement
    from autodrill.bank.questions import Question
    from autodrill.cli.frame import Frame
    from autodrill.cli.interview_recorder import Recorder
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.cli.watching import Watching
    from autodrill.practice.interview_plan import Step
    from autodrill.render.plain import Paint, Symbols

    Prompt = tuple[str, Callable[[str], Judgement] | None]

__all__ = ["InterviewSession"]

_POLL = 0.2
_EDITOR_ROWS = 8
_BURST = 500
"""The most keys that are read before the screen is drawn again, for example from a pasted text."""


@dataclass
class _Typing:
    """A line that is being typed, or a text.

    Attributes:
        at: The index of the step.
        step: The step.
        parts: The question.
        above: The lines typed before it, as pairs of label and text.
        line: Its number among the lines of the answer.
        label: What it answers; may be empty.
        editor: What is typed so far.
        free: Whether it is a text, which can have several lines.
        marks: The letters of the options, one of which is chosen; empty for another question.
        remark: Why it cannot be handed in as it was; may be empty.
    """

    at: int
    step: Step
    parts: Sequence[RenderableType]
    above: Sequence[tuple[str, str]]
    line: int
    label: str
    editor: TextEditor
    free: bool
    marks: str
    remark: str = ""


class InterviewSession:
    """Asks the steps of an interview until its questions are over.

    Args:
        recorder: Records the interview.
        bank: The questions by id.
        keyboard: The keyboard.
        frame: The frame.
        paint: Colours text.
        symbols: The signs that the terminal can show.
        coding: Opens the file of an exercise and the grader that watches it.
    """

    def __init__(
        self,
        recorder: Recorder,
        bank: Mapping[str, Question],
        keyboard: TerminalKeyboard,
        frame: Frame,
        paint: Paint,
        symbols: Symbols,
        coding: Callable[[str], AbstractContextManager[Watching]],
    ) -> None:
        self._recorder = recorder
        self._bank = bank
        self._keyboard = keyboard
        self._frame = frame
        self._symbols = symbols
        self._coding = coding
        self._plan = recorder.interview.plan
        self._view = StepView(recorder, frame, paint, symbols)

    def run(self) -> None:
        """Ask until the steps or the time are over.

        Raises:
            KeyboardInterrupt: Ctrl-C. Everything typed is on disk.
            EOFError: The terminal is gone. Everything typed is on disk.
        """
        state = self._recorder.state
        while not state.ended:
            at = state.next_step
            if self._recorder.left <= 0 and not (at is not None and state.drafts.get(at)):
                self._recorder.write(What.END, why="time")
            elif at is None:
                if not self._add_follow_up():
                    self._recorder.write(What.END, why="done")
            else:
                try:
                    self._ask(at, state.steps[at])
                except BaseException:  # Ctrl-C, or the terminal is gone
                    with suppress(StoreError):
                        self._recorder.write(What.TIME, at)
                    raise

    def _add_follow_up(self) -> bool:
        """Add a follow-up if there is time for one."""
        state = self._recorder.state
        added = len(state.steps) - len(self._plan.steps)
        if self._recorder.left < 60 * FOLLOW_UP_MINUTES or added >= follow_ups(self._plan.minutes):
            return False
        scores = {state.steps[at].id: self._score(at) for at in state.answers if state.steps[at].form is Form.QUESTION}
        step = follow_up(state.steps, scores, self._bank.values(), self._plan.seed)
        if step is not None:
            self._recorder.write(What.FOLLOW_UP, added=step.as_json())
        return step is not None

    def _score(self, at: int) -> float:
        """Return how good an answer seems, to choose a follow-up. What was said aloud is in the middle."""
        answer = self._recorder.state.answers[at]
        if answer.get("of"):
            return float(answer["right"] / answer["of"])
        typed = "\n".join(text for _, text in answer["typed"])
        question = self._bank.get(self._recorder.state.steps[at].id)
        if not typed.strip() or question is None:
            return 0.5
        return share_mentioned(question.key_points[: question.needed], typed)

    def _ask(self, at: int, step: Step) -> None:
        self._view.page = (0, 1)
        if at not in self._recorder.state.begun:
            self._recorder.write(What.BEGIN, at)
        if step.form is Form.EXERCISE:
            Coding(self._recorder, self._view, self._keyboard, self._frame, self._coding).run(at, step)
        elif step.id not in self._bank:  # autodrill was updated while the interview was paused
            self._recorder.write(What.ANSWER, at, typed=[])
        elif step.form is Form.FOLLOW_UP:
            view = CardView(self._bank[step.id], self._symbols)
            before = view.text(f"This follows on: {view.question.title}", style="dim")
            asked = view.barred(view.text(step.title, style="bold"), "", before)
            self._type_answer(at, step, [("", None)], [asked, *view.body()])
        else:
            self._question(at, step, self._bank[step.id])

    # Questions

    def _question(self, at: int, step: Step, question: Question) -> None:
        options = shuffled_options(question, self._plan.seed)
        view = CardView(question, self._symbols, options)
        if isinstance(question.key, ChoiceKey):
            prompts: list[Prompt] = [("", lambda typed: judge_choice(typed, options))]
        else:
            prompts = [*judges_of(question)] or [("", None)]

        title = view.barred(view.text(question.title, style="bold"))
        self._type_answer(at, step, prompts, [title, *view.body(), *view.choices()])

    def _type_answer(self, at: int, step: Step, prompts: Sequence[Prompt], parts: Sequence[RenderableType]) -> None:
        """Read a line, or for an open question a text, for each prompt, and record the answer."""
        drafts = self._recorder.state.drafts.get(at, [""])
        line = len(drafts) - 1
        typed = [(prompts[n][0], drafts[n]) for n in range(line)]
        options = shuffled_options(self._bank[step.id], self._plan.seed) if step.form is Form.QUESTION else ()
        while line < len(prompts):
            label, judge = prompts[line]
            drafts = self._recorder.state.drafts.get(at, [])
            editor = TextEditor(drafts[line] if line < len(drafts) else "", lines=judge is None)
            typing = _Typing(at, step, parts, typed, line, label, editor, judge is None, letters(len(options)))
            while True:
                self._edit(typing)
                if judge is None or not editor.text.strip():
                    break
                judgement = judge(editor.text)
                if judgement.outcome is not Outcome.UNREADABLE:
                    break
                typing.remark = judgement.remark.replace("`", "")
            typed.append((label, editor.text))
            line += 1
            if line < len(prompts):
                self._recorder.draft(at, line, "")
        judged = [
            bool(text.strip()) and judge(text).outcome is Outcome.RIGHT
            for (_, text), (_, judge) in zip(typed, prompts, strict=True)
            if judge is not None
        ]
        if options and typed[0][1]:
            # The letters change with the seed, so an option is kept with its text.
            typed = [(typed[0][1], options[letters(len(options)).index(typed[0][1])].text)]
        verdict = {"right": sum(judged), "of": len(judged)} if judged else {}
        self._recorder.write(What.ANSWER, at, typed=typed, **verdict)

    def _edit(self, typing: _Typing) -> None:
        """Let a text be typed until it is handed in. What is typed goes to the log at least every second."""
        editor = typing.editor
        done = ("ctrl-d", "Ctrl-D") if typing.free else (ENTER, "Enter")

        def save() -> None:
            if editor.text or typing.line < len(self._recorder.state.drafts.get(typing.at, [])):
                self._recorder.draft(typing.at, typing.line, editor.text)

        try:
            while True:
                marks = typing.marks
                keys = (
                    *([Binding(tuple(marks), Action.CHOOSE, f"a-{marks[-1]}", "choose", "")] if marks else []),
                    Binding(done[:1], Action.GO_ON, done[1], "done", ""),
                    *self._view.paging,
                    Binding((), Action.QUIT, "Ctrl-C", "pause", ""),
                )
                self._draw_typing(typing, keys)
                self._frame.attend()
                stroke = self._keyboard.stroke_within(_POLL)
                for _ in range(_BURST):
                    if stroke is None:
                        break
                    binding = find(keys, stroke.lower() if marks else stroke)
                    if binding is not None and binding.action is Action.GO_ON:
                        if self._saved(save, typing):
                            return
                        break
                    if binding is not None and binding.action is Action.CHOOSE:
                        editor.text, editor.at = stroke.lower(), 1
                    elif binding is not None:
                        self._view.turn()
                    elif (not marks or stroke in {"backspace", "ctrl-u"}) and editor.press(stroke):
                        typing.remark = ""
                    stroke = self._keyboard.stroke_within(0)
                self._saved(lambda: self._recorder.beat(typing.at, save), typing)
        except BaseException:  # Ctrl-C, or the terminal is gone
            self._saved(save, typing)
            raise

    def _saved(self, save: Callable[[], None], typing: _Typing) -> bool:
        """Save, and return whether that worked. If not, the text stays on the screen until it can be saved."""
        try:
            save()
        except StoreError as error:
            typing.remark = f"not saved: {error.message}"
            return False
        return True

    def _draw_typing(self, typing: _Typing, keys: Sequence[Binding]) -> None:
        width, height = self._frame.size
        wide, most = min(width, WIDEST), max(min(_EDITOR_ROWS, height // 3), 1)
        first = self._view.spelled(f"{typing.label} = " if typing.label else "> ")
        rows, (row, column) = typing.editor.rows(max(wide - len(first) - 1, 8), most)
        above = [self._view.spelled(f"{label} = {text}")[:wide] for label, text in typing.above][1 - most :]
        above = ["", *(self._view.paint(line, "dim") for line in above)]
        pinned = [*above, *((" " * len(first) if n else first) + text for n, text in enumerate(rows))]
        if typing.free and not typing.editor.text:
            hint = "Type the answer, or say it aloud. Then press Ctrl-D."
            pinned += [self._view.paint(f"  {hint}", "dim")]
        lines = self._view.rendered(typing.at, typing.parts, width)
        lines = self._view.show(typing.at, typing.step, lines, keys, typing.remark, pinned)
        self._frame.show(lines, (self._view.pinned + len(above) + row, columns_of(first) + column))
