"""The exercise of an interview: the file is graded at every save, and only the number of right cases is shown."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from autodrill.cli.bindings import Action, Binding, find
from autodrill.cli.learner_files import editor_command, start_editor
from autodrill.drills.exercise import starting_file
from autodrill.errors import UsageError
from autodrill.practice.interview_log import What
from autodrill.render.interview_screen import sober_verdict
from autodrill.render.plain import clean
from autodrill.render.terminal_markdown import markdown
from autodrill.render.watch_screen import broken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from autodrill.cli.frame import Frame
    from autodrill.cli.interview_recorder import Recorder
    from autodrill.cli.interview_view import StepView
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.cli.watching import Watching
    from autodrill.practice.interview_plan import Step

__all__ = ["Coding"]

_POLL = 0.05
_NOT_YET = "The code does not pass yet. To hand it in as it is, press n again."


class Coding:
    """Lets an exercise be written.

    Args:
        recorder: Records the graded files and the code that is handed in.
        view: Lays out the frame.
        keyboard: The keyboard.
        frame: The frame.
        watch: Opens the file of an exercise and the grader that watches it.
    """

    def __init__(
        self,
        recorder: Recorder,
        view: StepView,
        keyboard: TerminalKeyboard,
        frame: Frame,
        watch: Callable[[str], AbstractContextManager[Watching]],
    ) -> None:
        self._recorder = recorder
        self._view = view
        self._keyboard = keyboard
        self._frame = frame
        self._watch = watch

    def run(self, at: int, step: Step) -> None:
        """Let the exercise be written, and record every graded file."""
        with self._watch(step.id) as watching:
            exercise = watching.work.exercise
            stub, report = starting_file(exercise).encode(), None
            sure, notice = False, ""
            while True:
                if watching.step():
                    sure = False
                    if watching.report is not report:
                        report = watching.report
                        self._record_attempt(at, watching, stub)
                keys = self._keys(sure=sure)
                self._draw(at, step, watching, keys, _NOT_YET if sure else notice)
                if self._frame.attend():
                    watching.repeat()
                stroke = self._keyboard.stroke_within(max(watching.file.interval, _POLL))
                binding = find(keys, stroke.lower()) if stroke else None
                notice = notice if binding is None else ""
                match binding and binding.action:
                    case Action.MORE:
                        self._view.turn()
                    case Action.RUN:
                        watching.run()
                    case Action.EDIT:
                        try:
                            with self._frame.left():
                                start_editor(editor_command(), watching.work.path)
                        except UsageError as error:
                            notice = f"{error.message}; {error.hint}"
                    case Action.NEXT if sure or (watching.waited == 0 and report and report.verdict == "pass"):
                        break
                    case Action.NEXT:
                        sure = True
                    case Action.BACK:
                        sure = False
                self._recorder.beat(at)
            source = watching.file.source
        self._recorder.write(What.ANSWER, at, typed=[["", "" if source == stub else source.decode("utf-8", "replace")]])

    def _record_attempt(self, at: int, watching: Watching, stub: bytes) -> None:
        report, source = watching.report, watching.file.source.decode("utf-8", "replace")
        before = self._recorder.state.attempts.get(at, [])[-1:]
        if report is None or watching.file.source == stub:
            return
        if before and (before[0]["verdict"], before[0]["source"]) == (str(report.verdict), source):
            return  # the interview goes on, and the file is as it was
        failure = report.failure
        rule = failure.rule if failure else None
        self._recorder.write(
            What.ATTEMPT,
            at,
            verdict=str(report.verdict),
            passed=report.passed,
            cases=report.cases,
            summary=failure.summary if failure else "",
            rule=rule.key if rule else "",
            because=rule.because if rule else "",
            source=source,
        )

    def _keys(self, *, sure: bool) -> tuple[Binding, ...]:
        run = Binding(("r",), Action.RUN, "r", "run", "")
        edit = Binding(("e",), Action.EDIT, "e", "edit", "")
        trying = (run, edit) if editor_command() else (run,)
        return (
            Binding(("n",), Action.NEXT, "n", "hand in", ""),
            *((Binding(("b",), Action.BACK, "b", "back", ""),) if sure else trying),
            *self._view.paging,
            Binding((), Action.QUIT, "Ctrl-C", "pause", ""),
        )

    def _draw(self, at: int, step: Step, watching: Watching, keys: Sequence[Binding], notice: str) -> None:
        width = self._frame.size[0]
        problem = watching.file.problem or watching.error
        if problem is not None:
            said, colour = clean(problem.message), "amber"
        elif watching.report is None:
            said, colour = "The file is being checked.", "dim"
        else:
            said, colour = sober_verdict(watching.report, self._view.symbols)
        verdict = textwrap.wrap(said, width - 4, initial_indent="  ", subsequent_indent="  ")
        path = broken(f"  your file  {clean(str(watching.work.path))}", width)
        pinned = ["", *path, *(self._view.paint(line, colour, "bold") for line in verdict)]
        task = markdown(self._view.spelled(watching.work.exercise.task))
        lines = self._view.show(at, step, self._view.rendered(at, [task], width), keys, notice, pinned)
        self._frame.show(lines)
