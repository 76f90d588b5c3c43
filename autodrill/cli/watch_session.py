"""A session of `watch` on a terminal: one frame, and keys that act on the exercise."""

from __future__ import annotations

import enum
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from autodrill.cli import learner_files, watch_keys, watch_panels
from autodrill.cli.bindings import Action, Binding, find
from autodrill.cli.blank_again import blank_again, blank_notice
from autodrill.cli.debrief import passed_code, queue_cards
from autodrill.cli.help_commands import STAGES
from autodrill.cli.options import again, now, open_store
from autodrill.cli.pass_rating import change_rating, undo_pass_rating
from autodrill.drills.tracks import load_tracks
from autodrill.errors import AutodrillError, StoreError
from autodrill.practice.course import course_of
from autodrill.practice.log_records import Rating
from autodrill.practice.progress import hint_stage, log_giving_up, may_see_solution, next_exercise, progress
from autodrill.render.plain import ASCII, in_ascii
from autodrill.render.watch_screen import page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from autodrill.cli.attempt_log import Logged
    from autodrill.cli.course_list import CourseList
    from autodrill.cli.frame import Frame
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.cli.watching import Watching
    from autodrill.drills.exercise import Heading, Solution
    from autodrill.drills.library import Library
    from autodrill.grading.warm_grader import WarmGrader
    from autodrill.render.plain import Paint, Symbols

__all__ = ["WatchSession"]

_PATIENCE = 0.15
"""Seconds after which the frame says that a verdict is on its way. Most verdicts come sooner."""
_NOTICE_SECONDS = 2.0
_RATING = "the rating of this pass"
_AROUND_LIST = 5
"""Lines of the frame that the list leaves to the title and the keys."""
_LIST_PAGE = 10
"""The number of exercises by which a page key moves the mark."""


class Panel(enum.Enum):
    """What the body of the frame shows."""

    VERDICT = enum.auto()
    HINTS = enum.auto()
    SOLUTION = enum.auto()
    GIVE_UP = enum.auto()
    TAPE = enum.auto()
    LIST = enum.auto()
    KEYS = enum.auto()


@dataclass(frozen=True, slots=True)
class Undoable:
    """Something that `u` takes back.

    Attributes:
        what: It, in a few words.
        undo: Takes it back, and returns what to tell the learner.
    """

    what: str
    undo: Callable[[], str]


class WatchSession:
    """Draws the frame, and does what the keys ask for.

    Args:
        watching: The file and its verdict.
        library: The exercises.
        grader: Grades the file; it wakes the session.
        keyboard: The keyboard.
        frame: The frame.
        paint: Colours text.
        symbols: The signs that the terminal can show.
        notice: The first message to the learner; may be empty.
        kept: The old answer, if the exercise is due and its file was made blank.
    """

    def __init__(
        self,
        watching: Watching,
        library: Library,
        grader: WarmGrader,
        keyboard: TerminalKeyboard,
        frame: Frame,
        paint: Paint,
        symbols: Symbols,
        *,
        notice: str = "",
        kept: Path | None = None,
    ) -> None:
        self._watching = watching
        self._library = library
        self._grader = grader
        self._keyboard = keyboard
        self._frame = frame
        self._paint = paint
        self._symbols = symbols
        self._panel = Panel.VERDICT
        self._page = (0, 1)
        self._clock = time.monotonic
        self._tell(notice)
        self._undoable: list[Undoable] = []
        self._visited = {watching.work.exercise.id}
        self._headings: list[Heading] | None = None
        self._course: CourseList | None = None
        self._solution: Solution | None = None
        self._debrief: tuple[str, Sequence[str]] = "", ()
        self._keys: tuple[Binding, ...] = ()
        self._quit = False
        self._begin()
        self._came_back(kept)

    def run(self) -> None:
        """Watch until the learner quits or the terminal is gone.

        Raises:
            KeyboardInterrupt: Ctrl-C. Every attempt is already on disk.
        """
        checking = False
        self._draw()
        while not self._quit:
            redraw = self._frame.attend()
            if redraw:
                self._watching.repeat()
            report, saved = self._watching.report, self._watching.file.saved
            if self._watching.step():
                redraw = True
                if self._watching.report is not report:
                    self._verdict_came()
            late = self._watching.waited > _PATIENCE
            if redraw or late != checking or saved != self._watching.file.saved:
                checking = late
                self._draw()
            try:
                key = self._keyboard.key_within(self._watching.file.interval, self._grader.fileno())
            except EOFError:
                return
            binding = find(self._keys, key) if key else None
            if binding is not None:
                self._notice = ""
                try:
                    self._act(binding.action, key or "")
                except AutodrillError as error:
                    self._tell(f"{error.message}; {error.hint}" if error.hint else error.message)
                self._draw()

    def _tell(self, notice: str) -> None:
        self._notice, self._told = notice, self._clock()

    def _begin(self) -> None:
        """Look up what the learner has seen of the exercise."""
        exercise = self._watching.work.exercise
        self._solution = None
        self._hints, self._may_see = 0, False
        try:
            with open_store() as store:
                self._hints = hint_stage(store, exercise.id)
                self._may_see = may_see_solution(store, exercise.id, now())
        except AutodrillError as error:
            self._tell(error.message)

    def _verdict_came(self) -> None:
        self._panel, self._page = Panel.VERDICT, (0, 1)
        if self._watching.logged.problem:
            self._tell(self._watching.logged.problem)
        elif self._clock() - self._told > _NOTICE_SECONDS:  # the verdict that follows a key must not hide its notice
            self._notice = ""
        self._show_rating(self._watching.logged)
        report = self._watching.report
        self._may_see = self._may_see or (report is not None and report.verdict == "pass")

    # Keys

    def _act(self, action: Action, key: str) -> None:
        match action:
            case Action.QUIT:
                self._quit = True
            case Action.RUN:
                self._watching.run()
            case Action.MORE | Action.EARLIER if self._panel is Panel.LIST:
                self._mark(_LIST_PAGE if action is Action.MORE else -_LIST_PAGE)
            case Action.EARLIER:
                self._page = (self._page[0] - 1, self._page[1])
            case Action.MORE:
                self._page = ((self._page[0] + 1) % self._page[1], self._page[1])
            case Action.BACK:
                self._open(Panel.VERDICT)
            case Action.HELP:
                self._open(Panel.KEYS)
            case Action.RATE:
                self._rate(Rating(int(key)))
            case Action.HINT:
                self._hint()
            case Action.GIVE_UP:
                self._open(Panel.GIVE_UP)
            case Action.DRAW:
                self._open(Panel.TAPE)
            case Action.SOLUTION:
                self._see_solution()
            case Action.EDIT:
                self._edit()
            case Action.NEXT:
                self._next()
            case Action.LIST:
                self._list()
            case Action.UP | Action.DOWN:
                self._mark(1 if action is Action.DOWN else -1)
            case Action.START if self._course is not None:
                self._move(self._course.marked)
            case Action.RESET:
                self._reset()
            case Action.UNDO:
                self._tell(self._undoable.pop().undo())

    def _open(self, panel: Panel) -> None:
        self._panel, self._page = panel, (0, 1)

    def _hint(self) -> None:
        """Show the hints seen so far and the next one, which is logged."""
        if self._hints < len(STAGES):
            with open_store() as store:
                store.add_hint(self._watching.work.exercise.id, self._hints + 1, now())
            self._hints += 1
        self._open(Panel.HINTS)

    def _see_solution(self) -> None:
        if not self._may_see:
            exercise = self._watching.work.exercise
            with open_store() as store:
                log_giving_up(store, exercise.id, now())
                review = store.reviews()[-1].id
            self._may_see = True
            self._undoable.append(Undoable("the rating of giving up", lambda: self._undo_review(review)))
            self._tell("the exercise comes back soon")
        self._debrief = "", ()
        with suppress(StoreError), open_store() as store:  # the solution is shown all the same
            name = self._watching.work.exercise.id
            yours = passed_code(store, name)
            self._debrief = yours, queue_cards(store, name) if yours else ()
        self._open(Panel.SOLUTION)

    def _undo_review(self, review: int) -> str:
        logged, said = undo_pass_rating(review)
        if logged is not None:
            self._show_rating(logged)
        return said

    def _rate(self, rating: Rating) -> None:
        logged, said = change_rating(self._watching.logged, rating)
        if logged is not None:
            # Undoing the new rating brings the replaced one back.
            self._undoable = [other for other in self._undoable if other.what != _RATING]
            self._show_rating(logged)
        self._tell(said)

    def _show_rating(self, logged: Logged) -> None:
        self._watching.logged = logged
        if (review := logged.review) is not None:
            self._undoable.append(Undoable(_RATING, lambda: self._undo_review(review)))

    def _edit(self) -> None:
        with self._frame.left():
            learner_files.start_editor(learner_files.editor_command(), self._watching.work.path)

    def _reset(self) -> None:
        work = self._watching.work
        kept = learner_files.restore_stub(work.exercise, work.path, now())
        self._kept_aside("the reset", kept)
        self._tell(f"the stub is restored; your file is now {kept.name}")

    def _kept_aside(self, what: str, kept: Path) -> None:
        path = self._watching.work.path
        self._undoable.append(Undoable(what, lambda: self._undo_reset(path, kept)))

    def _undo_reset(self, path: Path, kept: Path) -> str:
        if not kept.exists():
            return f"{kept.name} is gone, so nothing was undone"
        other = learner_files.put_back(self._watching.work.exercise, path, kept, now())
        return "your file is back" + (f"; what you wrote since then is now {other.name}" if other else "")

    # Other exercises

    def _next(self) -> None:
        names = [heading.id for heading in self._all()]
        with open_store() as store:
            known = progress(store, now())
        name = next_exercise([n for n in names if n not in self._visited], known)
        if name is None:
            self._visited = {self._watching.work.exercise.id}
            name = next_exercise([n for n in names if n not in self._visited], known)
        if name is None:
            self._tell("every other exercise is passed and none is due")
        else:
            self._move(name)

    def _move(self, name: str) -> None:
        """Go on to another exercise. Its file is written to the folder of the current one if there is none yet."""
        exercise = self._library.find(name)
        work, fresh = learner_files.work_for(exercise, self._watching.work.path.parent)
        kept = blank_again(exercise, work.path)
        learner_files.note_opened(work.path)
        self._visited.add(name)
        self._undoable.clear()
        self._open(Panel.VERDICT)
        self._watching.begin(work)
        self._begin()
        self._came_back(kept)
        if fresh:
            self._tell(f"new file: {work.path}")

    def _came_back(self, kept: Path | None) -> None:
        if kept is not None:
            self._kept_aside("that the file is blank", kept)
            self._tell(blank_notice(self._watching.work.exercise, kept))

    def _all(self) -> list[Heading]:
        if self._headings is None:
            self._headings = self._library.headings()
        return self._headings

    def _list(self) -> None:
        from autodrill.cli.course_list import CourseList

        moment = now()
        with open_store() as store:
            known = progress(store, moment)
        course = course_of(self._all(), load_tracks(self._library.roots), known)
        upcoming = next_exercise([heading.id for heading in self._all()], known)
        self._course = CourseList(course, upcoming, self._watching.work.exercise.id, moment)
        self._open(Panel.LIST)

    def _mark(self, by: int) -> None:
        if self._course is not None:
            self._course.move(by)

    # The frame

    def _draw(self) -> None:
        size = self._frame.size
        spell = in_ascii if self._symbols is ASCII else str
        body = [spell(line) for line in self._lines(size)]
        for _ in range(2):  # the key that turns the page is in the bar only if there are pages
            self._keys = self._bindings()
            bar = [(key.shown, key.brief) for key in self._keys]
            page = page_of(
                f"watch  {self._watching.work.path}",
                self._status(),
                body,
                bar,
                notice=spell(self._notice),
                paint=self._paint,
                size=size,
                page=self._page[0],
            )
            self._page = page.number, page.pages
        self._frame.show(page.lines)

    def _offer(self) -> watch_keys.Offer:
        report = self._watching.report
        return watch_keys.Offer(
            checking=self._watching.waited > _PATIENCE,
            passed=report is not None and report.verdict == "pass",
            hints=(self._hints, len(STAGES)),
            solution=self._may_see,
            draw=watch_panels.draw_key(report),
            editor=bool(learner_files.editor_command()),
            edited=self._watching.edited,
            undo=self._undoable[-1].what if self._undoable else "",
            rated=self._watching.logged.review is not None,
            page=(self._page[0] + 1, self._page[1]),
        )

    def _bindings(self) -> tuple[Binding, ...]:
        offer = self._offer()
        match self._panel:
            case Panel.VERDICT:
                return watch_keys.watching(offer)
            case Panel.LIST:
                return watch_keys.choosing()
            case Panel.GIVE_UP:
                return watch_keys.asking_to_give_up()
            case _:
                return watch_keys.reading(offer, more_hints=self._panel is Panel.HINTS)

    def _status(self) -> str:
        if self._watching.waited > _PATIENCE:
            return "checking..."
        saved, report = self._watching.file.saved, self._watching.report
        if saved is None:
            return ""
        at = f"saved {datetime.fromtimestamp(saved).astimezone():%H:%M:%S}"
        if report is None:
            return at
        taken = f"{report.seconds * 1e3:.0f} ms" if report.seconds < 1 else f"{report.seconds:.1f} s"
        return f"{at} {self._symbols.dot} {taken}"

    def _lines(self, size: tuple[int, int]) -> list[str]:
        match self._panel:
            case Panel.VERDICT:
                return watch_panels.verdict(
                    self._watching, again(self._library.packs), self._paint, self._symbols, size[0]
                )
            case Panel.HINTS:
                return watch_panels.hints(self._worked(), self._hints, self._paint, size[0])
            case Panel.SOLUTION:
                exercise = self._watching.work.exercise
                return watch_panels.solution(exercise, self._worked(), *self._debrief, self._paint, size[0])
            case Panel.GIVE_UP:
                return watch_panels.give_up(self._hints, self._paint)
            case Panel.TAPE if self._watching.report is not None:
                return watch_panels.tape(self._watching.report, self._paint, self._symbols, size[0])
            case Panel.LIST if self._course is not None:
                return self._course.lines(size[1] - _AROUND_LIST, self._paint, self._symbols, size[0])
            case _:
                return watch_panels.keys(watch_keys.watching(self._offer()), self._paint)

    def _worked(self) -> Solution:
        """Return the solution side of the exercise, read when it is first needed."""
        if self._solution is None:
            self._solution = self._library.drill(self._watching.work.exercise).solution
        return self._solution
